#!/usr/bin/env bash
# Installs the Python package into the environment whose python3 comes first in PATH, and before it what is missing to
# build it: Debian packages, and a CUDA toolkit in .toolkit/.
#
#   scripts/python.sh [ARGUMENTS...]      further arguments go to `pip install`
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages $build_packages python3-dev python3-venv
need_toolkit
CUDAToolkit_ROOT=$GRAFT_CUDA_PATH exec python3 -m pip install "$root/python[cuda13]" "$@"
