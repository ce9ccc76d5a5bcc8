#!/usr/bin/env bash
# GPU tests and benchmarks on a machine that has a GPU and little else: no packages, no network.
#
# On the build machine:
#   scripts/gpu.sh build                 builds, and puts stripped programs and an installed graft (prefix/) into
#                                        build-gpu/bin; then copy this checkout
# On the GPU machine:
#   scripts/gpu.sh tests [FILTER]        all GPU tests, or those that match a GoogleTest filter
#   scripts/gpu.sh memcheck [FILTER]     the tests under compute-sanitizer, except those with huge arrays or fork
#   scripts/gpu.sh cli                   graft doctor, graft apply and graft reduce compared with NumPy, and graft bench
#                                        compared with bench_throughput
#   scripts/gpu.sh examples              the examples of guide, README and cuFFT
#   scripts/gpu.sh bench NAME [ARGUMENTS...] runs build-gpu/bin/bench_NAME
#   scripts/gpu.sh python [ARGUMENTS...] the GPU tests of the Python package, of which python3 has an installed one;
#                                        further arguments go to pytest
#   scripts/gpu.sh python-memcheck [ARGUMENTS...] the same under compute-sanitizer
#
# The programs for the GPU machine are *gpu_test, bench_*, graft and the examples. Their output is also written to the
# folder $OUT, if this variable is set.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
programs=$root/build-gpu/bin
examples=(guide formula cufft_callback fft_guide stft fft_cufft)
usage="usage: scripts/gpu.sh build | tests [FILTER] | memcheck [FILTER] | cli | examples | bench NAME [ARGUMENTS...] |
  python [ARGUMENTS...] | python-memcheck [ARGUMENTS...]"

build() {
  need_packages $build_packages
  need_toolkit
  need_newer_cccl
  configure release -DGRAFT_FAST_TESTS=OFF -DGRAFT_BUILD_BENCH=ON -DCCCL_DIR="$newer_cccl"
  cmake --build "$root/build"
  rm -rf "$programs"
  mkdir -p "$programs"
  local program
  for program in "$root"/build/bin/*gpu_test "$root"/build/bin/bench_* "$root"/build/bin/graft "${examples[@]/#/$root/build/bin/}"; do
    [[ ! -x $program ]] || strip -o "$programs/$(basename "$program")" "$program"
  done
  copy_libraries "$programs"/bench_throughput*
  cmake --install "$root/build" --prefix "$programs/prefix" --strip
  du -sh "$programs"
}

# Copies the libraries that the GPU machine may lack: Google Benchmark, and the libstdc++ with which it was built.
copy_libraries() {
  ldd "$@" | awk '/libbenchmark|libstdc\+\+/ {print $3}' | sort -u | xargs -r cp -Lt "$programs"
}

# logged NAME COMMAND... runs the command. The command's output also goes to $OUT/NAME.log.
logged() {
  local log=/dev/null
  [[ -z ${OUT:-} ]] || log=$OUT/$1.log
  shift
  say "$*"
  "$@" 2>&1 | tee "$log"
}

need() {
  gpu_present || die "no GPU on this machine"
  [[ -x $programs/$1 ]] || die "no build-gpu/bin/$1: run scripts/gpu.sh build on the build machine, then copy build-gpu/bin to this machine"
}

# run_shards PROGRAM FILTER runs the tests of a program in up to eight processes at a time, because most of the time goes
# into compiling kernels.
run_shards() {
  local logs processes=() i failed=0 shards=$(((jobs + 1) / 2))
  ((shards <= 8)) || shards=8
  logs=$(mktemp -d)
  for ((i = 0; i < shards; ++i)); do
    GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$i "$1" --gtest_filter="$2" >"$logs/$i" 2>&1 &
    processes+=($!)
  done
  for ((i = 0; i < shards; ++i)); do
    wait "${processes[$i]}" || failed=1
    cat "$logs/$i"
  done
  rm -r "$logs"
  return "$failed"
}

# run_tests FILTER [COMMAND...] runs every program, even after one has failed: by the command, or in shards.
run_tests() {
  local filter=$1 program failed=()
  shift
  need graft_gpu_test
  for program in "$programs"/*gpu_test; do
    if (($#)); then logged "$(basename "$program")" "$@" "$program" --gtest_filter="$filter"
    else logged "$(basename "$program")" run_shards "$program" "$filter"
    fi || failed+=("$(basename "$program")")
  done
  ((${#failed[@]} == 0)) || die "failed: ${failed[*]}"
}

# Only memory accesses are checked, and API errors are not reported, because some tests provoke API errors on purpose.
# GRAFT_TEST_EXACT=1 makes the tests allocate arrays without guard bytes and pools, so that memcheck sees each access past
# the end of an array.
need_memcheck() {
  local sanitizer
  sanitizer=$(PATH=${GRAFT_CUDA_PATH:-/usr/local/cuda}/bin:$PATH command -v compute-sanitizer) ||
    die "compute-sanitizer is not installed; it is part of the CUDA toolkit"
  memcheck=("$sanitizer" --tool memcheck --report-api-errors no --error-exitcode 9)
  export GRAFT_TEST_EXACT=1 PYTORCH_NO_CUDA_MEMORY_CACHING=1
}

# python_tests NAME ARGUMENTS... runs them by the command of the array `memcheck`, if that is set.
python_tests() {
  gpu_present || die "no GPU on this machine"
  python3 -c 'import graft_cuda' || die "python3 has no package graft_cuda: pip install ./python, or its wheel"
  logged "$1" "${memcheck[@]}" python3 -m pytest -q -p no:cacheprovider "$root/python/tests/test_gpu.py" "${@:2}"
}
memcheck=()

cli() {
  need graft
  logged doctor "$programs/graft" doctor
  logged apply python3 "$root/tests/cli/apply_on_gpu.py" "$programs/graft"
  logged reduce python3 "$root/tests/cli/reduce_on_gpu.py" "$programs/graft"
  logged bench python3 "$root/tests/cli/bench_on_gpu.py" "$programs/graft" "$programs/bench_throughput"
  logged tune python3 "$root/tests/cli/tune_on_gpu.py" "$programs/graft"
}

# The cuFFT example does not exist if the toolkit that built it has no cuFFT.
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
  tests)
    # GpuFftMemory measures the free memory of the GPU, which other tests use.
    run_tests "${2:-*-GpuFftMemory.*}"
    [[ -n ${2:-} ]] || run_tests 'GpuFftMemory.*' env
    ;;
  memcheck)
    need graft_gpu_test
    need_memcheck
    run_tests "${2:-*:-*Huge*:*Fork*}" "${memcheck[@]}"
    ;;
  python) python_tests python "${@:2}" ;;
  python-memcheck)
    need_memcheck
    python_tests python_memcheck "${@:2}"
    ;;
  cli) cli ;;
  examples) run_examples ;;
  bench) bench "${@:2}" ;;
  *) die "$usage" ;;
esac
