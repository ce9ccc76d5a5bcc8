#!/usr/bin/env bash
# Checks that an installed graft is complete, that pkg-config finds it there, and that a program links with the flags of
# pkg-config, to the shared and to the static library.
#
#   check_files.sh PREFIX
set -euo pipefail
prefix=$1 tests=$(dirname "$0")/..
for file in bin/graft include/graft/graft.hpp include/graft/graft.h 'lib*/libgraft.so.0.2' 'lib*/libgraft_static.a' \
  'lib*/pkgconfig/graft.pc' 'lib*/pkgconfig/graft_static.pc' 'lib*/cmake/graft/graftConfig.cmake' include/graft/callbacks/fft.cuh \
  include/graft/callbacks/README.md share/doc/graft/copyright share/man/man1/graft.1 share/doc/graft/docs/start.md \
  share/doc/graft/docs/fft_stft.svg share/doc/graft/examples/guide/first.cpp share/doc/graft/callbacks/windows.cuh \
  share/bash-completion/completions/graft; do
  # shellcheck disable=SC2086  # * is a pattern
  compgen -G "$prefix/"$file >/dev/null || compgen -G "$prefix/"${file/lib\*/lib/*} >/dev/null ||
    { echo "$prefix has no $file" >&2; exit 1; }
done
# The licence texts of the libraries whose code is in it, where this system has them.
for notice in fmt:libfmt-dev nlohmann-json:nlohmann-json3-dev xxhash:libxxhash-dev cli11:libcli11-dev; do
  text=/usr/share/doc/${notice#*:}/copyright
  [[ ! -e $text ]] || cmp "$text" "$prefix/share/doc/graft/licenses/${notice%:*}"
done
# The pages for users have no link that leads nowhere. Those for developers link sources, which are not installed.
developers='(CONTRIBUTING|bench/README|docs/(design|tables/callbacks|add_a_[a-z_]*))\.md: '
found=$(python3 -B "$tests/docs/links.py" "$prefix/share/doc/graft") || [[ -n $found ]]
broken=$(grep -E '\.md: ' <<<"$found" | grep -vE "$developers" || true)
[[ -z $broken ]] || { echo "$broken" >&2; exit 1; }
# A host program includes a file of ready-made callbacks by its installed name.
header=$(mktemp)
cat >"$header" <<'END'
#define __device__
#include <graft/callbacks/windows.cuh>
static_assert(sizeof(graft::callbacks::Window) == 8);
END
"${CXX:-c++}" -std=c++20 -fsyntax-only -I"$prefix/include" -x c++ "$header"
rm "$header"
command -v pkg-config >/dev/null || exit 0
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name graft.pc)")
export PKG_CONFIG_PATH
[[ $(pkg-config --modversion graft) == 0.2.* ]]
[[ -e $(pkg-config --variable=includedir graft)/graft/graft.hpp ]]
[[ -e $(pkg-config --variable=libdir graft)/libgraft.so ]]
[[ -e $(pkg-config --variable=callbacksdir graft)/fft.cuh ]]
program=$(mktemp)
trap 'rm -f "$program"' EXIT
for package in graft graft_static; do
  # shellcheck disable=SC2046  # each flag is a word
  echo 'int main() { return graft_abi_version() == 0; }' |
    "${CC:-cc}" -include graft/graft.h -x c - -x none -o "$program" $(pkg-config --cflags --libs "$package")
  needed=$(readelf -d "$program" | grep -c 'NEEDED.*libgraft' || true)
  [[ $needed == "$([[ $package == graft ]] && echo 1 || echo 0)" ]] ||
    { echo "pkg-config --libs $package links the other library" >&2; exit 1; }
done
