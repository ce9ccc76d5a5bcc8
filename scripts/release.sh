#!/usr/bin/env bash
# Makes a source release, graft-VERSION.tar.gz, which can be built without nvcc: the committed files, and the folder
# building_blocks/shipped with graft's device code as LTO-IR and the hashes of its sources (cmake/GraftToolkit.cmake).
#
#   scripts/release.sh BUILD FOLDER      BUILD is a build folder of this checkout; FOLDER gets the archive
#
# With GRAFT_OLDER_NVRTC in BUILD, the release also has the copy of the LTO-IR for CUDA 12. ALLOW_CHANGES=1 takes tracked
# files as they are, also if they are not committed.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
(($# == 2)) || die "usage: scripts/release.sh BUILD FOLDER"
build=$1 folder=$(realpath -m "$2")
cd "$root"

changes=$(git status --porcelain --untracked-files=no)
tree=HEAD
if [[ -n $changes ]]; then
  [[ -n ${ALLOW_CHANGES:-} ]] || die "there are changes that are not committed:"$'\n'"$changes"
  tree=$(git stash create)
fi
version=$(sed -n 's/^project(graft VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=graft-$version
ltoir=$build/building_blocks/ltoir
cmake --build "$build" --target graft_blocks

staged=$(mktemp -d)
trap 'rm -rf "$staged"' EXIT
git archive --prefix="$name/" "$tree" | tar -x -C "$staged"
shipped=$staged/$name/building_blocks/shipped
mkdir "$shipped"
cp -r "$ltoir"/. "$shipped"
(cd "$staged/$name/building_blocks" && sha256sum CMakeLists.txt canary.cu contract.h elementwise/*) >"$shipped/SOURCES"
mkdir -p "$folder"
# Equal sources and an equal compiler give an equal archive.
tar -C "$staged" --sort=name --owner=0 --group=0 --numeric-owner --mtime="$(git log -1 --format=@%ct)" -cf - "$name" |
  gzip -n >"$folder/$name.tar.gz"
say "$folder/$name.tar.gz"
