#!/usr/bin/env bash
# Builds graft as a part of another project. In version 0.1, graft forced the project's build type, installed itself,
# and built the shared library, the program and its tests, for which it needed CLI11.
#
#   subproject_test.sh GRAFT FOLDER CMAKE_OPTIONS...
set -euo pipefail
graft=$1 folder=$2
rm -rf "$folder"
cmake -G Ninja -S "$(dirname "$0")/subproject" -B "$folder" -DGRAFT_SOURCE_DIR="$graft" "${@:3}"
steps=$(ninja -C "$folder" -t commands all)
missing() { echo "$1" >&2; exit 1; }
grep -q 'libgraft_static.a' <<<"$steps" || missing "the library that the program needs is not built"
! grep -oE 'libgraft\.so|src/cli/[a-z/_]*|graft_gpu_test' <<<"$steps" || missing "the lines above build more than the program needs"
! grep -rl 'graft_static\|GraftAddCallback' --include=cmake_install.cmake "$folder" || missing "these files install graft"
