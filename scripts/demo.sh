#!/usr/bin/env bash
# Builds graft on a fresh machine and runs examples/quickstart.
#
#   scripts/demo.sh [-D...]      further arguments go to CMake
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

need_packages $build_packages
need_toolkit
configure release -DGRAFT_FAST_BUILD=ON "$@"  # as scripts/test.sh, which goes on in the same folder
cmake --build "$root/build" --target quickstart
exec "$root/build/bin/quickstart"
