#!/usr/bin/env bash
# GPU tests and benchmarks on a machine that has a GPU and little else: no packages, no network.
#
#   scripts/gpu.sh build                 here: builds, and puts stripped programs into build-gpu/bin, to be carried there
#   scripts/gpu.sh tests [FILTER]        there: all GPU tests, or those that match a GoogleTest filter
#   scripts/gpu.sh memcheck [FILTER]     there: the same under compute-sanitizer, arrays without guards, huge ones left out
#   scripts/gpu.sh cli                   there: graft doctor, and graft apply compared with NumPy
#   scripts/gpu.sh examples              there: the examples of guide, README and cuFFT
#   scripts/gpu.sh bench NAME [ARGUMENTS...]    there: build-gpu/bin/bench_NAME
#
# Programs for the GPU machine are those named *gpu_test and bench_*, and the examples. What they print also goes to $OUT,
# where that is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
programs=$root/build-gpu/bin
examples=(guide formula cufft_callback)
usage="usage: scripts/gpu.sh build | tests [FILTER] | memcheck [FILTER] | cli | examples | bench NAME [ARGUMENTS...]"

build() {
  need_packages $build_packages
  need_toolkit
  need_newer_cccl
  configure release -DGRAFT_BUILD_BENCH=ON -DCCCL_DIR="$newer_cccl"
  cmake --build "$root/build"
  rm -rf "$programs"
  mkdir -p "$programs"
  local program
  for program in "$root"/build/bin/*gpu_test "$root"/build/bin/bench_* "$root"/build/bin/graft "${examples[@]/#/$root/build/bin/}"; do
    [[ ! -x $program ]] || strip -o "$programs/$(basename "$program")" "$program"
  done
  copy_libraries "$programs"/bench_throughput*
  du -sh "$programs"
}

# Those that a program needs and the GPU machine may lack: Google Benchmark, and the libstdc++ that it was built with.
copy_libraries() {
  ldd "$@" | awk '/libbenchmark|libstdc\+\+/ {print $3}' | sort -u | xargs -r cp -Lt "$programs"
}

# logged NAME COMMAND...
logged() {
  local log=/dev/null
  [[ -z ${OUT:-} ]] || log=$OUT/$1.log
  shift
  say "$*"
  "$@" 2>&1 | tee "$log"
}

need() {
  gpu_present || die "no GPU on this machine"
  [[ -x $programs/$1 ]] || die "no build-gpu/bin/$1: run scripts/gpu.sh build first, and carry build-gpu/bin along"
}

# Every program runs, also behind one that failed.
run_tests() {
  local filter=$1 program failed=()
  shift
  need graft_gpu_test
  for program in "$programs"/*gpu_test; do
    logged "$(basename "$program")" "$@" "$program" --gtest_filter="$filter" || failed+=("$(basename "$program")")
  done
  ((${#failed[@]} == 0)) || die "failed: ${failed[*]}"
}

memcheck() {
  local sanitizer
  need graft_gpu_test
  sanitizer=$(PATH=${GRAFT_CUDA_PATH:-/usr/local/cuda}/bin:$PATH command -v compute-sanitizer) ||
    die "compute-sanitizer is not installed; it is part of the CUDA toolkit"
  # Tests that provoke errors of the API on purpose would be reported; only accesses count.
  GRAFT_TEST_EXACT=1 run_tests "$1" "$sanitizer" --tool memcheck --report-api-errors no --error-exitcode 9
}

# cuFFT's example is missing where the toolkit that built it has no cuFFT.
cli() {
  need graft
  logged doctor "$programs/graft" doctor
  logged apply python3 "$root/tests/cli/apply_on_gpu.py" "$programs/graft"
}

run_examples() {
  local example failed=()
  need guide
  for example in "${examples[@]}"; do
    [[ ! -x $programs/$example ]] || logged "$example" "$programs/$example" || failed+=("$example")
  done
  ((${#failed[@]} == 0)) || die "failed: ${failed[*]}"
}

bench() {
  local name=${1:-}
  [[ -n $name ]] || die "$usage"
  shift
  need "bench_$name"
  logged "bench_$name" "$programs/bench_$name" "$@"
}

case ${1:-} in
  build) build ;;
  tests) run_tests "${2:-*}" ;;
  memcheck) memcheck "${2:-*:-*Huge*:*Fork*}" ;;
  cli) cli ;;
  examples) run_examples ;;
  bench) bench "${@:2}" ;;
  *) die "$usage" ;;
esac
