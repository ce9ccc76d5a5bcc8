#!/usr/bin/env bash
# Checks that an installed graft is complete, and that pkg-config finds it there.
#
#   check_files.sh PREFIX
set -euo pipefail
prefix=$1
for file in bin/graft include/graft/graft.hpp include/graft/graft.h 'lib*/libgraft.so.0.2' 'lib*/libgraft_static.a' \
  'lib*/pkgconfig/graft.pc' 'lib*/cmake/graft/graftConfig.cmake' share/graft/callbacks/fft.cuh \
  share/graft/callbacks/README.md share/doc/graft/copyright share/man/man1/graft.1 \
  share/bash-completion/completions/graft; do
  # shellcheck disable=SC2086  # * is a pattern
  compgen -G "$prefix/"$file >/dev/null || compgen -G "$prefix/"${file/lib\*/lib/*} >/dev/null ||
    { echo "$prefix has no $file" >&2; exit 1; }
done
command -v pkg-config >/dev/null || exit 0
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name graft.pc)")
export PKG_CONFIG_PATH
[[ $(pkg-config --modversion graft) == 0.2.* ]]
[[ -e $(pkg-config --variable=includedir graft)/graft/graft.hpp ]]
[[ -e $(pkg-config --variable=libdir graft)/libgraft.so ]]
[[ -e $(pkg-config --variable=callbacksdir graft)/fft.cuh ]]
