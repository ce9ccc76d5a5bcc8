# Functions that the scripts share. They install what a fresh machine lacks, choose a CUDA toolkit, and configure the
# build with CMake.
#
# Packages come from apt-get. A missing CUDA toolkit comes from NVIDIA's Python wheels and is installed in the folder
# .toolkit/ of this checkout, which git ignores; nothing outside of this folder changes. GRAFT_IGNORE_SYSTEM_CUDA=1
# installs the wheels even if there is a toolkit. The scripts source this file after `set -euo pipefail`.

readonly root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
readonly jobs=$(nproc)
readonly build_packages="g++ cmake ninja-build libfmt-dev libxxhash-dev libzstd-dev nlohmann-json3-dev libcli11-dev
  librapidcheck-dev libeigen3-dev libgtest-dev libgmock-dev libbenchmark-dev python3 python3-numpy"
# What only some examples and tests use.
# CPack makes a .deb with the program `file`.
# Python's package is built with the headers of Python, in a virtual environment.
readonly example_packages="libopenmpi-dev openmpi-bin dpkg-dev file pkg-config python3-dev python3-venv"
readonly toolkit_wheels="cuda-toolkit[nvcc,nvrtc,nvjitlink,nvvm,cccl,cudart,crt]==13.0.* nvidia-nvjitlink==13.0.* nvidia-nvfatbin==13.0.*"
# The disassemblers may be newer than 13.0, because they read older code too. There is no wheel of cuobjdump 13.0.
readonly disassembler_wheels="nvidia-cuda-nvdisasm>=13.0 nvidia-cuda-cuobjdump>=13.0"
# Libraries of the toolkit that only examples and tests use.
readonly test_wheels="nvidia-cufft==12.0.* nvidia-curand==10.4.*"
export CMAKE_BUILD_PARALLEL_LEVEL=$jobs

say() { printf '== %s\n' "$*"; }

# Seconds of CPU time that this script's finished commands have used.
cpu_seconds() {
  local fields
  read -ra fields <"/proc/$$/stat"
  echo $(((fields[15] + fields[16]) / $(getconf CLK_TCK)))
}

# stage NAME ends one stage of a script and begins the next. When the script ends, it prints for each stage the seconds
# that it took, and the seconds of CPU time; or it appends these lines to the file $GRAFT_STAGES for its caller.
stage_name='' stage_lines=''
stage() {
  [[ -z $stage_name ]] || stage_lines+=$(printf '%6d s, %6d s of CPU time: %s' \
    $((SECONDS - stage_began)) $(($(cpu_seconds) - stage_cpu)) "$stage_name")$'\n'
  stage_name=$1 stage_began=$SECONDS stage_cpu=$(cpu_seconds)
  [[ -z $stage_name ]] || say "$stage_name"
}

print_stages() {
  stage ''
  if [[ -n ${GRAFT_STAGES:-} ]]; then printf '%s' "$stage_lines" >>"$GRAFT_STAGES"
  else printf '%s' "$stage_lines" >&2
  fi
}

die() {
  printf '%s\n' "$*" >&2
  exit 1
}

package_installed() { [[ $(dpkg-query -W -f='${Status}' "$1" 2>/dev/null) == *" ok installed" ]]; }

# Succeeds if a package is installed, or if its program was installed in another way.
provided() {
  case $1 in
    ninja-build) command -v ninja >/dev/null || package_installed "$1" ;;
    g++ | cmake | python3 | clang | clang-format | clang-tidy) command -v "$1" >/dev/null || package_installed "$1" ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    python3-dev) [[ -e $(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h ]] ;;
    *) package_installed "$1" ;;
  esac
}

# apt ARGUMENTS... runs apt-get as root. Another apt may hold the locks for minutes, for example during a machine's
# first update. apt-get itself waits for only one of its two kinds of locks, so this function retries for ten minutes.
apt() {
  local as_root=() said status end=$((SECONDS + ${APT_PATIENCE:-600}))
  ((EUID == 0)) || as_root=(sudo -n)
  said=$(mktemp)
  while true; do
    status=0
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -o DPkg::Lock::Timeout=60 "$@" 2>&1 |
      tee "$said" || status=$?
    if ((status == 0 || SECONDS >= end)) || ! grep -qiE 'could not get lock|unable to (acquire|lock)' "$said"; then break; fi
    say "another apt holds the lock: trying again"
    sleep "${APT_PAUSE:-5}"
  done
  rm -f "$said"
  return "$status"
}

# need_packages NAME... installs the missing packages, or prints the command that installs them. On a system without
# dpkg it does nothing, and CMake then reports what is missing.
need_packages() {
  command -v dpkg-query >/dev/null || return 0
  local missing=() package
  for package in "$@"; do
    provided "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    sudo -n true 2>/dev/null || die "Missing packages. Run this, then start again:" \
      "sudo apt-get update && sudo apt-get install -y --no-install-recommends ${missing[*]}"
  fi
  say "installing ${missing[*]}"
  apt update
  apt install -y --no-install-recommends "${missing[@]}"
}

# wheels ARGUMENTS... runs `pip install` in a virtual environment in .toolkit/, because a bare system's Python has no
# pip.
wheels() {
  need_packages python3 python3-venv
  [[ -x $root/.toolkit/bin/python3 ]] || python3 -m venv "$root/.toolkit"
  "$root/.toolkit/bin/python3" -m pip install -q --disable-pip-version-check "$@"
}

# need_wheels NAME WHEELS... installs the wheels once. The file NAME.installed, which records the installation, is
# written last, so a failed installation is repeated.
need_wheels() {
  local name=$1 note=$root/.toolkit/$1.installed
  shift
  [[ -f $note && $(<"$note") == "$*" ]] && return
  say "installing NVIDIA's wheels into .toolkit/ for the $name: $*"
  wheels "$@"
  (cd "$root/.toolkit" && ln -sfn lib/python3*/site-packages/nvidia/cu13 cuda)
  printf '%s' "$*" >"$note"
}

# Succeeds if this nvcc is 13.0 or newer, as graft needs.
nvcc_fits() {
  local release
  release=$("$1" --version 2>/dev/null | sed -n 's/.*release \([0-9]*\)\..*/\1/p')
  ((${release:-0} >= 13))
}

system_toolkit() {
  [[ ${GRAFT_IGNORE_SYSTEM_CUDA:-0} != 1 ]] || return 1
  local nvcc
  for nvcc in "${GRAFT_CUDA_PATH:-}/bin/nvcc" "${CUDA_HOME:-}/bin/nvcc" /usr/local/cuda/bin/nvcc \
    "$(command -v nvcc || true)"; do
    if [[ -x $nvcc ]] && nvcc_fits "$nvcc"; then
      dirname "$(dirname "$nvcc")"
      return
    fi
  done
  return 1
}

# Sets GRAFT_CUDA_PATH to the toolkit, for CMake and for the library.
need_toolkit() {
  local found
  if found=$(system_toolkit); then
    export GRAFT_CUDA_PATH=$found
  else
    need_wheels toolkit $toolkit_wheels
    # The wheels contain only libcudart.so.13, but CMake's find_package(CUDAToolkit) needs libcudart.so.
    ln -sfn libcudart.so.13 "$root/.toolkit/cuda/lib/libcudart.so"
    # Numba looks for libnvvm where an installed toolkit has it.
    ln -sfn ../lib "$root/.toolkit/cuda/nvvm/lib64"
    export GRAFT_CUDA_PATH=$root/.toolkit/cuda
  fi
  say "CUDA toolkit: $GRAFT_CUDA_PATH"
}

# Adds the libraries of examples and tests to a toolkit made of wheels. An installed toolkit is left as it is.
need_test_libraries() {
  [[ $GRAFT_CUDA_PATH == "$root/.toolkit/cuda" ]] || return 0
  need_wheels libraries $test_wheels
  ln -sfn libcufft.so.12 "$root/.toolkit/cuda/lib/libcufft.so"
}

# Installs nvdisasm and cuobjdump, with which the tests read machine code, because toolkits are often installed without
# them.
need_disassemblers() {
  local nvdisasm cuobjdump path=$GRAFT_CUDA_PATH/bin:$PATH
  nvdisasm=$(PATH=$path command -v nvdisasm) && cuobjdump=$(PATH=$path command -v cuobjdump) || {
    need_wheels disassemblers $disassembler_wheels
    nvdisasm=$root/.toolkit/cuda/bin/nvdisasm
    cuobjdump=$root/.toolkit/cuda/bin/cuobjdump
  }
  export GRAFT_NVDISASM=$nvdisasm GRAFT_CUOBJDUMP=$cuobjdump
}

# Installs tools of other CUDA versions, for tests/scenarios/tools. Without a network these tests are skipped. Sets
# older_nvrtc to the NVRTC with which the build makes a copy of graft's LTO-IR for linkers of CUDA 12, or to an empty
# text.
need_other_toolkits() {
  local folder=$root/.toolkit/other
  older_nvrtc=$folder/cuda12.4/nvidia/cuda_nvrtc/lib/libnvrtc.so.12
  [[ -f $folder/installed && -f $older_nvrtc ]] && return
  say "installing NVIDIA's wheels of CUDA 12.4, CUDA 12.9 and the newest CUDA 13 into .toolkit/other"
  wheels --target "$folder/cuda12.4" \
    'nvidia-nvjitlink-cu12==12.4.*' 'nvidia-cuda-nvrtc-cu12==12.4.*' &&
    wheels --target "$folder/cuda12" \
      'nvidia-nvjitlink-cu12==12.9.*' 'nvidia-cuda-nvrtc-cu12==12.9.*' &&
    wheels --target "$folder/cuda13" \
      'nvidia-nvjitlink>=13.1' 'nvidia-cuda-nvrtc>=13.1' &&
    touch "$folder/installed" || say "not installed: the tests that need these wheels will be skipped"
  [[ -f $older_nvrtc ]] || older_nvrtc=
}

# Installs a newer CUB and Thrust than the toolkit's, for the benchmark that compares graft with them. Sets newer_cccl
# to their folder, or to an empty text if they cannot be installed.
need_newer_cccl() {
  local folder=$root/.toolkit/cccl
  newer_cccl=$folder/nvidia/cu13/include/cccl
  [[ -d $newer_cccl/cub ]] && return
  say "installing NVIDIA's wheel of the newest CCCL 13 into .toolkit/cccl"
  wheels --no-deps --target "$folder" 'nvidia-cuda-cccl>=13.3,<14' &&
    [[ -d $newer_cccl/cub ]] || { newer_cccl=; say "not installed: bench_throughput_cccl will not be built"; }
}

# Installs libnvfatbin, which makes the fatbins that tests read, because toolkits are often installed without it.
need_nvfatbin() {
  compgen -G "$GRAFT_CUDA_PATH/lib*/libnvfatbin.so.*" >/dev/null && return
  need_wheels fatbins 'nvidia-nvfatbin==13.0.*'
  mkdir -p "$root/.toolkit/nvfatbin"
  ln -sfn "$root"/.toolkit/cuda/lib/libnvfatbin.so.13 "$root/.toolkit/nvfatbin/"
  export LD_LIBRARY_PATH=$root/.toolkit/nvfatbin${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
}

# configure PRESET [ARGUMENTS...] runs CMake with a preset of CMakePresets.json. First removes the variables in CMake's
# cache that may describe another toolkit.
configure() {
  local preset=$1 launcher=()
  shift
  command -v ccache >/dev/null && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  (cd "$root" && cmake --preset "$preset" -U 'CUDAToolkit_*' -U 'CUDA_*' -DCUDAToolkit_ROOT="$GRAFT_CUDA_PATH" \
    "${launcher[@]}" "$@")
}

gpu_present() { nvidia-smi -L 2>/dev/null | grep -q '^GPU' || compgen -G '/dev/nvidia[0-9]*' >/dev/null; }
