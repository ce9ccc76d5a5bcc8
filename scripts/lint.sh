#!/usr/bin/env bash
# Runs clang-format, finds comparisons that a NaN passes, compiles each public header alone, runs clang-tidy, compiles
# the benchmarks and the fuzz targets, which no test builds, and cross-compiles the library for 64-bit Arm. Changes no
# file.
#
#   scripts/lint.sh [-D...]      further arguments go to CMake
#
# The last lines say how long each stage took.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
cd "$root"

need_packages $build_packages git clang clang-format clang-tidy g++-aarch64-linux-gnu
need_toolkit
need_test_libraries

# Lists tracked and new files, without ignored ones. git also lists deleted files until the deletion is committed.
our_files() {
  git ls-files -co --exclude-standard -- "$@" | while read -r file; do [[ ! -e $file ]] || printf '%s\n' "$file"; done
}

check_format() {
  stage "clang-format"
  our_files '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh' | xargs clang-format --style=file --dry-run --Werror || return
  # .clang-format switches the reflow of comments off, because clang-format would also reflow the examples in comments.
  # The search for long lines is therefore separate.
  local long
  long=$(our_files '*.cpp' '*.hpp' '*.h' '*.cu' '*.cuh' | xargs grep -nE '^.{121,}$') || return 0
  printf 'longer than 120 columns:\n%s\n' "$long" >&2
  return 1
}

# A comparison with a NaN is false: std::max(worst, error) keeps `worst`, Eigen's maxCoeff() may skip a NaN, and
# `if (abs(a - b) > bound)` finds no mistake. Tests and benchmarks must fail when a result is NaN. Correct are
# `(error <= bound).all()`, `if (!(error <= bound))` and maxCoeff<Eigen::PropagateNaN>(). Where a loop keeps the largest
# of some integers, it says their type: `most = std::max<int>(most, count)`.
check_comparisons() {
  stage "comparisons that a NaN passes"
  local found
  found=$(our_files 'tests/*' 'bench/*' 'examples/*' | grep -E '\.(cpp|hpp|cu|cuh|h)$' | xargs grep -nE \
    -e '(worst|error|distance|difference|deviation)[a-z_]* = (std::)?f?max(<[^>]*>)?\(' \
    -e '([a-z_.]+) = (std::)?f?max(<(float|double|long double|[A-Z]\w*)>)?\((\{?\1,|.*, \1\}?\))' \
    -e 'if ?\((.*) > ([a-z_.]+)\) \2 = \1;' \
    -e '\b(max|min)Coeff\(\)' \
    -e 'if ?\((std::)?f?abs\([^;]* - [^;]*\) >' \
    -e '(EXPECT|ASSERT)_FALSE\(.*(worst|error|distance|difference|deviation|abs)[a-z_]*(\(.*\))? >') ||
    return 0
  printf 'a NaN passes:\n%s\n' "$found" >&2
  return 1
}

# compile_header COMPILER STANDARD HEADER compiles one public header alone.
compile_header() {
  echo "#include \"graft/$(basename "$3")\"" |
    "$1" -std="$2" -Iinclude -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c++ -
}
export -f compile_header

# The C interface must also compile as C.
compile_as_c() {
  echo '#include "graft/graft.h"' | "$1" -std="$2" -Iinclude -Wall -Wextra -Wpedantic -Werror -fsyntax-only -x c - ||
    { echo "graft.h does not compile with $1 -std=$2" >&2; return 1; }
}

# Each public header must compile without another header before it, with every compiler and C++ standard that graft
# supports.
check_headers() {
  stage "public headers, each alone"
  local compiler standard header
  for compiler in g++ clang++; do
    for standard in c++20 c++2b; do
      for header in include/graft/*; do printf '%s\n' "$compiler $standard $header"; done
    done
  done | xargs -P "$jobs" -L 1 bash -c 'compile_header "$@" || { echo "does not compile alone: $*" >&2; exit 1; }' _ ||
    return
  for compiler in gcc clang; do
    for standard in c99 c2x; do compile_as_c "$compiler" "$standard" || return; done
  done
}

check_tidy() {
  stage "clang-tidy"
  configure lint "$@" >/dev/null || return
  # GRAFT_FAST_BUILD makes each folder of src one file, so that headers, which take most of the time, are read once. The
  # compile commands may contain warning flags of GCC that clang does not know. The limit of 20 minutes is ten times the
  # usual time.
  sed -n 's/^ *"file": "\(.*\)".*/\1/p' build-lint/compile_commands.json | tac | grep -E "^$root/(build-lint/src/.*Unity/|src/)" |
    timeout 1200 xargs -P "$jobs" -n 1 clang-tidy -p build-lint --quiet \
    --extra-arg=-Wno-unknown-warning-option 2> >(grep -v ' warnings\? generated' >&2)
}

# Compiles what the tests do not build, without code: the benchmarks, but for the kernels of CUB and Thrust, which take
# minutes, the fuzz targets, and files of src, each alone: the other builds compile each folder as one file, in which a
# file finds the headers of the files before it. A fifth of these files has its turn (tests/support/rotation.hpp).
check_unbuilt() {
  stage "benchmarks, fuzz targets and files alone"
  configure fuzz "$@" >/dev/null || return
  local all commands kernel turns=5
  [[ ${GRAFT_ALL_ARCHITECTURES:-} != 1 ]] || turns=1
  all=$(ninja -C build-fuzz -t commands all fuzzers | grep -E " -c $root/(bench|tests/fuzz|src)/[^ ]*\.cpp$" |
    awk '!seen[$NF]++' | sed -E 's/ -MD -MT .* -o [^ ]+/ -fsyntax-only/') || return
  commands=$(grep -E " -c $root/(bench|tests/fuzz)/" <<<"$all"
    grep -E " -c $root/src/" <<<"$all" | awk -v turns=$turns -v turn=$((${GRAFT_TEST_ROUND:-0} % turns)) 'NR % turns == turn')
  for kernel in "$root"/bench/*.cu "$root"/bench/throughput/*.cu; do
    [[ $kernel =~ /(cub_transform|cccl|cccl_version).cu ]] ||
      commands+=$'\n'"'$GRAFT_CUDA_PATH/bin/nvcc' -std=c++20 -ptx -arch=compute_90 -w -DGRAFT_BENCH_FAMILY=NARROW -I'$root/include' -o /dev/null '$kernel'"
  done
  (cd build-fuzz && xargs -P "$jobs" -d '\n' -n 1 sh -c <<<"$commands")
}

# Finds what depends on the architecture, such as the sign of char. Nothing is run.
check_aarch64() {
  stage "aarch64"
  configure aarch64 "$@" >/dev/null || return
  cmake --build build-aarch64 --target graft >/dev/null || return
  readelf -h build-aarch64/src/libgraft.so | grep -q 'Machine: *AArch64'
}

trap print_stages EXIT
failed=()
check_format || failed+=(clang-format)
check_comparisons || failed+=(comparisons)
check_headers || failed+=(headers)
check_tidy "$@" || failed+=(clang-tidy)
check_unbuilt "$@" || failed+=(unbuilt)
check_aarch64 "$@" || failed+=(aarch64)
((${#failed[@]} == 0)) || die "lint failed: ${failed[*]}"
say "lint passed"
