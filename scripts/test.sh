#!/usr/bin/env bash
# Builds graft on a fresh machine and runs every test that this machine can run.
#
#   scripts/test.sh [--sanitizers] [-D...]      further arguments go to CMake
#
# --sanitizers first runs the tests labelled `sanitize` under AddressSanitizer and UndefinedBehaviorSanitizer, and the
# tests labelled `threads` under ThreadSanitizer. The run of all tests without sanitizers comes last, so that the output
# ends with the result of this run and with the seconds of each stage.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sanitizers=false
arguments=()
for argument in "$@"; do
  case $argument in
    --sanitizers) sanitizers=true ;;
    -D*) arguments+=("$argument") ;;
    *) die "usage: scripts/test.sh [--sanitizers] [-D...]" ;;
  esac
done

# build FOLDER PRESET [TARGET] configures and builds one folder.
build() {
  stage "build in $1"
  configure "$2" "${arguments[@]}" "${@:4}"
  cmake --build "$root/$1" ${3:+--target "$3"}
}

# Without a GPU, skips the GPU tests and prints their number.
run_tests() {
  local folder=$root/$1 without_gpu=() count
  stage "tests in $1"
  shift
  if ! gpu_present; then
    without_gpu=(-LE gpu)
    count=$(ctest --test-dir "$folder" -N -L gpu "$@" | sed -n 's/^Total Tests: //p')
    say "gpu tests not run: no GPU on this machine ($count tests)"
  fi
  # One more than there are processors, because some tests sleep.
  ctest --test-dir "$folder" -j $((jobs + 1)) --output-on-failure --no-tests=error "$@" "${without_gpu[@]}"
}

trap print_stages EXIT
stage "packages and toolkits"
need_packages $build_packages $example_packages
need_toolkit
need_test_libraries
need_disassemblers
need_nvfatbin
need_other_toolkits
arguments=(-DGRAFT_FAST_BUILD=ON -DGRAFT_FAST_TESTS=ON -DGRAFT_OTHER_TOOLKITS="$root/.toolkit/other" "${arguments[@]}")

if $sanitizers; then
  # Clang compiles with sanitizers in two thirds of GCC's time, and so the tests run with both compilers.
  need_packages clang libclang-rt-dev
  build build-asan asan graft_tests_sanitize -DGRAFT_PURE_TESTS=ON
  # The driver maps memory inside AddressSanitizer's shadow gap, so the gap is not protected. NVIDIA's libraries keep
  # memory until the process ends, which tests/lsan.supp suppresses.
  ASAN_OPTIONS=protect_shadow_gap=0:detect_leaks=1 LSAN_OPTIONS=suppressions=$root/tests/lsan.supp:print_suppressions=0 \
    UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 GRAFT_CXX="clang++ -fsanitize=address,undefined" run_tests build-asan -L sanitize
  build build-tsan tsan graft_tests_threads
  # A test forks while graft's threads run, and its child starts threads too.
  TSAN_OPTIONS=suppressions=$root/tests/tsan.supp:halt_on_error=1:die_after_fork=0 run_tests build-tsan -L threads
fi
# This build has the second copy of graft's LTO-IR. The builds with sanitizers do not, so both cases are tested.
pure=ON
! $sanitizers || pure=OFF  # they have just run, under the sanitizers
build build release '' -DGRAFT_OLDER_NVRTC="$older_nvrtc" -DGRAFT_PURE_TESTS=$pure
run_tests build
