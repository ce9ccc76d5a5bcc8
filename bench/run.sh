#!/usr/bin/env bash
# Runs all benchmarks, in parts, on one GPU.
#
#   bench/run.sh FOLDER [PART...]     runs the named parts, or all; writes their JSON records to FOLDER
#   bench/run.sh --list               lists the parts
#
# Each part is limited to nine minutes, or to LIMIT. If a part fails, the others still run, and the exit status reports
# the failure.
# The programs are taken from build-gpu/bin, or else from build/bin. Without a GPU, the parts "latency" and "warm" run
# as far as possible (kernels are built for sm_90 and not loaded), and the output lists what was left out.
#
#   COMMIT=ID   the commit that the records name (default: git's current commit)
#   LIMIT=...   the limit of a part in seconds
#   MATHDX=...  the folder of libmathdx.so.0 (nvidia-libmathdx-cu13), for fft-create
#   PREFIX=...  the folder of an installed graft, for python-cxx (default: the programs' folder prefix/)
#   PYTHON=...  the Python that has the package graft_cuda (default: python3); peers with missing packages are skipped
#   PEERS=...   of the parts peers*: only peers whose name contains one of these words, which commas separate
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
readonly all_parts="throughput throughput-newer misaligned updates policy routes selective shapes fft-f32 fft-f64
  fft-16mib fft-between fft-accuracy fft-create latency cache warm overhead peers peers-latency peers-overhead
  python-cxx python-fft"
readonly limit_seconds=${LIMIT:-540}
# Of the lengths of bench_fft, those of which several FFTs fit into 16 MiB.
readonly short_lengths=2,8,16,27,60,64,125,243,256,343,500,512,625,729,1000,1024,1536,2000,2048,3000,4096,8192,16384,65536
readonly peers=$root/bench/peers
failed=()
why_ignored=()
part_start=0

describe_parts() {
  cat <<END
throughput        GB/s of every callback, type and count, against a kernel by hand, CUB, Thrust and cudaMemcpyAsync
throughput-newer  the same against a newer CCCL, if bench_throughput_cccl was built
misaligned        the same with arrays that are not aligned to 16 bytes
updates           in-place updates and 12 inputs to 6 outputs, against kernels by hand and cudaMemcpyAsync
routes            every route against callbacks called through a pointer, from light to heavy callbacks
selective         updates of some elements of an array, with graft::Store, against a copy
shapes            arrays of any shape, against dense ones, cudaMemcpy and other kernels; create and host time
fft-f32           FFTs of many lengths in single precision, with and without callbacks, beside cuFFT
fft-f64           the same in double precision
fft-16mib         the same in both, on arrays of 16 MiB
fft-between       an FFT, a filter and the inverse FFT, beside cuFFT
fft-accuracy      rounding errors of FFTs, beside cuFFT's
fft-create        making an FFT with callbacks in new processes, beside cuFFT, and libmathdx if MATHDX names its folder
latency           create in new processes: by step against the floor, by form, and many in one process
cache             kernels from disk and from memory
warm              time in which graft warm fills an empty cache with 100 kernels
policy            kernels of the same callback with different tunings
overhead          host time of execute, and chains of 100 small launches
peers             GB/s against peers from Python
peers-latency     time to the first result, against peers from Python
peers-overhead    host time of a call, against peers from Python, and in C++
python-cxx        GB/s of transforms, reductions and an FFT from Python, against the same in C++
python-fft        an FFT with callbacks that Numba compiles, beside nvmath-python
END
}

commit_id() { git -C "$root" describe --always --dirty --exclude='*' 2>/dev/null || true; }

# timed NAME COMMAND... runs the command in the time that the current part has left. A failure is recorded, and the
# script goes on.
timed() {
  local name=$1 start=$SECONDS status=0
  shift
  say "$name: $*"
  timeout --kill-after=10 "$((part_start + limit_seconds - start))" "$@" || status=$?
  ((status == 0)) || failed+=("$name (status $status)")
  say "$name: $((SECONDS - start)) s"
}

# program NAME RECORD ARGUMENTS... runs bench_NAME, which writes FOLDER/RECORD.json.
program() {
  local name=$1 record=$2
  shift 2
  if [[ ! -x $programs/bench_$name ]]; then
    why_ignored+=("$record: bench_$name was not built")
    return
  fi
  timed "$record" "$programs/bench_$name" --commit "$commit" --out "$folder/$record.json" "$@"
}

# script NAME RECORD ARGUMENTS... runs bench/peers/NAME.py, which writes FOLDER/RECORD.json.
script() {
  local name=$1 record=$2
  shift 2
  timed "$record" "$python" -B "$peers/$name.py" --commit "$commit" --out "$folder/$record.json" "$@"
}

run_part() {
  case $1 in
    throughput) program throughput throughput --part aligned ;;
    throughput-newer) program throughput_cccl throughput_newer --part aligned ;;
    misaligned) program throughput misaligned --part misaligned ;;
    updates) program updates updates ;;
    policy) program policy policy ;;
    routes) program routes routes ;;
    selective) program selective selective ;;
    shapes)
      program shapes shapes
      program shapes shapes_create --create
      program shapes shapes_host --host
      ;;
    fft-f32) program fft fft_f32 --f32 ;;
    fft-f64) program fft fft_f64 --f64 ;;
    fft-16mib) program fft fft_16mib --mib 16 --lengths "$short_lengths" ;;
    fft-between) program fft fft_between --between ;;
    fft-accuracy) program fft fft_accuracy --accuracy ;;
    fft-create) program fft_create fft_create ${MATHDX:+--mathdx "$MATHDX"} ;;
    latency)
      program create_cold create_cold
      program create_forms create_forms
      program create_many create_many
      ;;
    cache) program cache cache ;;
    warm) program warm warm ;;
    overhead)
      program host_overhead host_overhead
      program chain chain
      ;;
    peers) script throughput throughput_python --peers "${PEERS:-}" ;;
    peers-latency)
      script first_call first_call --peers "${PEERS:-}" --programs "$programs" --seconds $((limit_seconds * 3 / 4))
      ;;
    peers-overhead) script host_overhead host_overhead_python --peers "${PEERS:-}" --programs "$programs" ;;
    python-cxx) script beside_cxx beside_cxx --prefix "${PREFIX:-$programs/prefix}" ;;
    python-fft) script fft_callbacks fft_callbacks --seconds $((limit_seconds / 2)) ;;
  esac
}

# Runs only those measurements of a part that need no GPU. The names of their records end in no_gpu if a GPU would have
# loaded the kernels.
run_part_without_gpu() {
  case $1 in
    fft-create)
      program fft_create fft_create_no_gpu --no-gpu ${MATHDX:+--mathdx "$MATHDX"}
      why_ignored+=("fft-create: loading kernels, and cuFFT (no GPU)")
      ;;
    latency)
      program create_cold create_cold_no_gpu --no-gpu
      program create_many create_many_no_gpu --no-gpu
      why_ignored+=("latency: loading kernels, and create by form (no GPU)")
      ;;
    warm) program warm warm ;;
    *) why_ignored+=("$1 (no GPU)") ;;
  esac
}

# shellcheck disable=SC2086  # all_parts must be split into words
is_part() { printf '%s\n' $all_parts | grep -qxF -e "$1"; }

main() {
  local part parts=("${@:2}")
  # shellcheck disable=SC2206  # all_parts must be split into words
  ((${#parts[@]})) || parts=($all_parts)
  for part in "${parts[@]}"; do
    is_part "$part" || die "unknown part: $part; bench/run.sh --list prints the parts"
  done
  mkdir -p "$folder"
  for part in "${parts[@]}"; do
    part_start=$SECONDS
    if gpu_present; then run_part "$part"; else run_part_without_gpu "$part"; fi
  done
  ((${#why_ignored[@]} == 0)) || printf 'left out: %s\n' "${why_ignored[@]}"
  ((${#failed[@]} == 0)) || die "failed: ${failed[*]}"
}

case ${1:-} in
  --list)
    describe_parts
    exit
    ;;
  "" | -*) die "usage: bench/run.sh FOLDER [PART...] | --list" ;;
esac
folder=$(realpath -m "$1")
programs=$root/build-gpu/bin
[[ -d $programs ]] || programs=$root/build/bin
[[ -d $programs ]] || die "no build-gpu/bin and no build/bin: run scripts/gpu.sh build first"
commit=${COMMIT:-$(commit_id)}
python=${PYTHON:-python3}
main "$@"
