#!/usr/bin/env bash
# All figures of this folder, on one GPU, in parts.
#
#   bench/run.sh FOLDER [PART...]     runs the parts named, or all; each part's records go to FOLDER as JSON
#   bench/run.sh --list               the parts
#
# A part ends after nine minutes at the latest, and one that fails does not keep the others from running; the status
# says whether all went well. The programs are those of build-gpu/bin, else build/bin. Without a GPU the parts "latency"
# and "warm" run as far as they need none (kernels are made for sm_90 and not loaded), and what was left out is said.
#
#   COMMIT=ID   what the records name as the commit (default: git's, where there is git)
#   PYTHON=...  for the peers that come from Python (default: python3); packages that it lacks are reported, no more
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib.sh"
readonly all_parts="throughput throughput-newer misaligned policy routes latency cache warm overhead
  peers peers-latency peers-overhead"
readonly limit_seconds=540
readonly peers=$root/bench/peers
failed=()
left_out=()
part_start=0

describe_parts() {
  cat <<END
throughput        GB/s of every callback, type and count beside a kernel by hand, CUB, Thrust and cudaMemcpyAsync
throughput-newer  the same beside a newer CCCL, where bench_throughput_cccl was built with one
misaligned        the same with arrays that are not aligned to 16 bytes
routes            every route beside callbacks called through a pointer, from light callbacks to heavy
latency           create in new processes: by step beside the floor, by form, and many in one process
cache             kernels from disk and from memory
warm              graft warm of 100 callbacks
policy            kernels of the same callback with other policies
overhead          host time of execute, and chains of 100 small launches
peers             GB/s beside the peers that come from Python
peers-latency     the first call beside theirs
peers-overhead    the host time of a call beside theirs
END
}

commit_id() { git -C "$root" describe --always --dirty --exclude='*' 2>/dev/null || true; }

# timed NAME COMMAND...: a failure is noted, and nothing more. What a part has used is gone for the rest of it.
timed() {
  local name=$1 start=$SECONDS status=0
  shift
  say "$name: $*"
  timeout --kill-after=10 "$((part_start + limit_seconds - start))" "$@" || status=$?
  ((status == 0)) || failed+=("$name (status $status)")
  say "$name: $((SECONDS - start)) s"
}

# program NAME RECORD ARGUMENTS...: bench_NAME writes FOLDER/RECORD.json.
program() {
  local name=$1 record=$2
  shift 2
  if [[ ! -x $programs/bench_$name ]]; then
    left_out+=("$record: there is no bench_$name")
    return
  fi
  timed "$record" "$programs/bench_$name" --commit "$commit" --out "$folder/$record.json" "$@"
}

# script NAME RECORD ARGUMENTS...: the same for bench/peers/NAME.py.
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
    policy) program policy policy ;;
    routes) program routes routes ;;
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
    peers) script throughput throughput_python ;;
    peers-latency) script first_call first_call --programs "$programs" ;;
    peers-overhead) script host_overhead host_overhead_python ;;
  esac
}

# What needs no GPU. The records say in their names that nothing was loaded.
run_part_without_gpu() {
  case $1 in
    latency)
      program create_cold create_cold_no_gpu --no-gpu
      program create_many create_many_no_gpu --no-gpu
      left_out+=("latency: loading kernels, and create by form (no GPU)")
      ;;
    warm) program warm warm ;;
    *) left_out+=("$1 (no GPU)") ;;
  esac
}

# shellcheck disable=SC2086  # the words of all_parts
is_part() { printf '%s\n' $all_parts | grep -qxF -e "$1"; }

main() {
  local part parts=("${@:2}")
  # shellcheck disable=SC2206  # the words of all_parts
  ((${#parts[@]})) || parts=($all_parts)
  for part in "${parts[@]}"; do
    is_part "$part" || die "no part $part; bench/run.sh --list names them"
  done
  mkdir -p "$folder"
  export GRAFT_BENCH_SHIM=$programs/bench_graft_shim.so
  for part in "${parts[@]}"; do
    part_start=$SECONDS
    if gpu_present; then run_part "$part"; else run_part_without_gpu "$part"; fi
  done
  ((${#left_out[@]} == 0)) || printf 'left out: %s\n' "${left_out[@]}"
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
[[ -d $programs ]] || die "no build-gpu/bin and no build/bin: scripts/gpu.sh build makes them"
commit=${COMMIT:-$(commit_id)}
python=${PYTHON:-python3}
main "$@"
