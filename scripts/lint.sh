#!/usr/bin/env bash
# Checks form: clang-format, public headers that compile alone, clang-tidy. Changes nothing.
#
#   scripts/lint.sh [-D...]      further arguments go to CMake
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

need_packages $build_packages git clang clang-format clang-tidy
need_toolkit

# Tracked and new files, ignored ones left out; a file deleted but not yet committed is still listed.
our_files() {
  git ls-files -co --exclude-standard -- "$@" | while read -r file; do [[ ! -e $file ]] || printf '%s\n' "$file"; done
}

check_format() {
  say "clang-format"
  our_files '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh' | xargs clang-format --style=file --dry-run --Werror
}

# compile_header COMPILER STANDARD HEADER
compile_header() {
  echo "#include \"graft/$(basename "$3")\"" |
    "$1" -std="$2" -Iinclude -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ -
}
export -f compile_header

# A public header needs no other before it, under each compiler and standard that users may have.
check_headers() {
  say "public headers, each alone"
  local compiler standard header
  for compiler in g++ clang++; do
    for standard in c++20 c++2b; do
      for header in include/graft/*; do printf '%s\n' "$compiler $standard $header"; done
    done
  done | xargs -P "$jobs" -L 1 bash -c 'compile_header "$@" || { echo "fails: $*" >&2; exit 1; }' _
}

check_tidy() {
  say "clang-tidy"
  configure lint "$@" >/dev/null || return
  # A room of src is one file here (GRAFT_FAST_BUILD): most of the time goes into the headers, and each is read once.
  # The compile commands may be GCC's, with warnings that clang does not know. Twenty minutes are ten times the usual.
  sed -n 's/^ *"file": "\(.*\)".*/\1/p' build-lint/compile_commands.json | tac | grep -E "^$root/(build-lint/src/.*Unity/|src/)" |
    timeout 1200 xargs -P "$jobs" -n 1 clang-tidy -p build-lint --quiet \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v ' warnings\? generated' >&2)
}

failed=()
check_format || failed+=(clang-format)
check_headers || failed+=(headers)
check_tidy "$@" || failed+=(clang-tidy)
((${#failed[@]} == 0)) || die "lint failed: ${failed[*]}"
say "lint passed"
