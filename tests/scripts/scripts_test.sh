#!/usr/bin/env bash
# Tests scripts/lib.sh with fakes of the system's programs.
#
# locked_packages: in version 0.1, the scripts failed at once if another apt process held the package lock. This test
# uses a fake apt-get that reports a held lock twice.
#
# python_without_pip: in version 0.1, tests were skipped if the system's Python had no pip. This test uses a fake Python
# without pip, so the scripts must use the pip of a virtual environment.
#
#   scripts_test.sh PROJECT locked_packages|python_without_pip
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/project/scripts" "$folder/bin"
cp "$1/scripts/lib.sh" "$folder/project/scripts/"
PATH=$folder/bin:$PATH
fake() { printf '#!/bin/bash\n%s\n' "$2" >"$folder/bin/$1" && chmod +x "$folder/bin/$1"; }
fake sudo 'shift; exec "$@"'
fake dpkg-query 'exit 1'
fake apt-get "echo \"\$*\" >>$folder/calls
  case \$* in *update*) exit 0 ;; esac
  if ((\$(grep -c install $folder/calls) <= 2)); then
    echo 'E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 1 (apt)' >&2; exit 100
  fi"

in_library() { (cd "$folder/project" && bash -c "set -euo pipefail; source scripts/lib.sh; $1"); }

case $2 in
  locked_packages)
    APT_PAUSE=0 in_library 'need_packages libfmt-dev'
    (($(grep -c install "$folder/calls") == 3))
    rm "$folder/calls"
    APT_PATIENCE=0 in_library 'need_packages libfmt-dev' && exit 1  # the script gives up and fails
    fake apt-get "echo x >>$folder/others; echo 'E: Unable to locate package' >&2; exit 100"
    APT_PAUSE=0 in_library 'need_packages libfmt-dev' && exit 1  # other errors make the script fail at once
    (($(wc -l <"$folder/others") == 1))
    ;;
  python_without_pip)
    fake dpkg-query 'echo "install ok installed"'
    # A fake Python without pip that can create virtual environments. The pip of such an environment accepts every
    # request.
    fake pip_of_environment "echo \"\$*\" >>$folder/pip
      while ((\$#)); do [[ \$1 != --target ]] || mkdir -p \"\$2\"; shift; done"
    fake python3 "case \$1:\$2 in
        -c:*) exit 0 ;;
        -m:venv) mkdir -p \"\$3/bin\" && ln -s $folder/bin/pip_of_environment \"\$3/bin/python3\" ;;
        *) echo 'No module named pip' >&2; exit 1 ;;
      esac"
    in_library 'need_other_toolkits; [[ -f .toolkit/other/installed ]]'
    in_library 'need_newer_cccl' || true
    grep -q 'pip install .*cuda12 .*nvidia-nvjitlink-cu12' "$folder/pip"
    grep -q 'pip install .*nvidia-cuda-cccl' "$folder/pip"
    ;;
esac
