#!/usr/bin/env bash
# Configures the project on a bare Debian 12, which failed in version 0.1. The FindCUDAToolkit module of CMake 3.25.1
# fails if a project asks for CMake 3.25 and the toolkit lacks libnvToolsExt. CUDA 13 lacks that library. If this
# machine has a repaired module, the defect would not show, so this test undoes the repair in a copy of the module.
#
#   configure_test.sh PROJECT CMAKE MODULES TOOLKIT
set -euo pipefail
project=$1 cmake=$2 modules=$3 toolkit=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/modules" "$folder/control"
sed 's/if(TARGET CUDA::nvToolsExt AND /if(/' "$modules/FindCUDAToolkit.cmake" >"$folder/modules/FindCUDAToolkit.cmake"
# The FindCUDAToolkit module includes other modules from its own folder, so link them into the folder of the copy.
for file in "$modules"/*.cmake; do [[ -e $folder/modules/${file##*/} ]] || ln -s "$file" "$folder/modules/"; done
ln -s "$modules"/*/ "$folder/modules/" 2>/dev/null || true
! compgen -G "$toolkit/lib*/libnvToolsExt*" >/dev/null || { echo "this toolkit has a libnvToolsExt" >&2; exit 1; }

configure() { "$cmake" -G Ninja -S "$1" -B "$2" -DCMAKE_MODULE_PATH="$folder/modules" -DCUDAToolkit_ROOT="$toolkit" "${@:3}"; }

cat >"$folder/control/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(control LANGUAGES CXX)
find_package(CUDAToolkit REQUIRED)
END
if configure "$folder/control" "$folder/control-build" >"$folder/log" 2>&1; then
  echo "the module without its repair configures, so this test shows nothing" >&2
  exit 1
fi
grep -q nvToolsExt "$folder/log" || { cat "$folder/log" >&2; exit 1; }
configure "$project" "$folder/build" -DGRAFT_BUILD_TESTS=OFF -DGRAFT_BUILD_EXAMPLES=OFF -DCMAKE_BUILD_TYPE=Release
