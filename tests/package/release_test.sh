#!/usr/bin/env bash
# Makes a source release and configures it without nvcc: graft must take the LTO-IR of the release, byte for byte that of
# this build, and must refuse it when a source has changed.
#
#   release_test.sh SOURCE BUILD FOLDER INCLUDE ARGUMENTS...    INCLUDE: the folder of the CUDA headers
set -euo pipefail
source=$1 build=$2 folder=$3 include=$4
shift 4
rm -rf "$folder"
mkdir -p "$folder/toolkit"
ln -s "$include" "$folder/toolkit/include"
ALLOW_CHANGES=1 "$source/scripts/release.sh" "$build" "$folder"
tar -xzf "$folder"/graft-*.tar.gz -C "$folder"
release=$(echo "$folder"/graft-*/)

# An empty name of nvcc keeps CMake from looking for one.
configure() {
  cmake -S "$release" -B "$folder/build" -DGRAFT_BUILD_CLI=OFF -DCUDAToolkit_NVCC_EXECUTABLE= \
    -DCUDAToolkit_ROOT="$folder/toolkit" "$@" >"$folder/log" 2>&1
}
fail() {
  cat "$folder/log"
  echo "release_test: $1" >&2
  exit 1
}

configure "$@" || fail "configuring the release failed"
grep -q "device code: the LTO-IR of the release, compiled by nvcc" "$folder/log" || fail "the LTO-IR was not taken"
embedded=$folder/build/src/embedded/graft_objects.S
for file in $(cd "$build/building_blocks/ltoir" && find . -name '*.ltoir' -o -name '*.ptx' | sed 's|^./||'); do
  [[ $file == older/* && ! -e $release/building_blocks/shipped/$file ]] && continue
  cmp "$build/building_blocks/ltoir/$file" "$release/building_blocks/shipped/$file"
  grep -q "/shipped/$file\"" "$embedded" || fail "$file is not embedded"
done

echo >>"$release/building_blocks/elementwise/tile.cu"
touch "$release/building_blocks/elementwise/new.h"
rm -rf "$folder/build"
! configure "$@" || fail "changed sources were not refused"
tr -s '\n ' ' ' <"$folder/log" | grep -q "Changed: building_blocks/elementwise/tile.cu, building_blocks/elementwise/new.h" ||
  fail "the refusal does not name the changed sources"
