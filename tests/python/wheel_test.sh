#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it in a fresh environment, and runs its tests there, without the
# checkout: the tests, the pages and the example are copied.
#
#   wheel_test.sh CHECKOUT PREFIX FOLDER PYTHON COMPILER     PREFIX: an installed graft; FOLDER: where the work is done
set -euo pipefail
checkout=$1 prefix=$2 folder=$3 python=$4
export CXX=$5 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_COMPILE=1 GRAFT_CACHE=memory

[[ $("$python" -c 'import sys; print(sys.version_info >= (3, 10))') == True ]] ||
  { echo "the package needs Python 3.10, and $python is older"; exit 77; }

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
"$python" -m venv environment
if ! environment/bin/python -m pip install -q 'numpy>=1.24,<2.5' pytest pytest-xdist ml_dtypes mypy numba-cuda; then
  [[ ${CI:-} == true ]] && exit 1
  echo "no registry of Python packages can be reached"
  exit 77
fi

# Says where the time goes.
step() { printf '== %s s: %s\n' "$SECONDS" "$*"; }

step "build the wheel"
PATH=$folder/environment/bin:$PATH "$checkout/scripts/wheel.sh" "$folder/wheels" \
  "--config-settings=cmake.define.graft_ROOT=$prefix" "--config-settings=build-dir=$folder/build"
environment/bin/python "$checkout/tests/python/licenses_of_wheel.py" wheels/graft_cuda-*.whl
step "install it"
environment/bin/python -m pip install -q wheels/graft_cuda-*-manylinux_2_*.whl
cp -r "$checkout"/{python/tests,README.md,docs/python.md,docs/from_cupy.md,docs/from_nvmath_python.md,examples/python/black_scholes.py} .
site=$(environment/bin/python -c 'import graft_cuda, pathlib; print(pathlib.Path(graft_cuda.__file__).parent)')
for file in py.typed _core.pyi; do [[ -e $site/$file ]] || { echo "the wheel lacks $file"; exit 1; }; done

# The module is linked with no library of CUDA, with none that a system may lack, and exports its one function.
if ldd "$site"/_core.*.so | grep -E 'libcuda|libnv'; then
  echo "the module is linked with a library of CUDA"
  exit 1
fi
foreign=$(ldd "$site"/_core.*.so | grep -vE "$site|linux-vdso|ld-linux|lib(c|m|gcc_s|stdc\+\+)\.so" || true)
[[ -z $foreign ]] || { echo "the wheel lacks $foreign"; exit 1; }
exported=$(nm -D --defined-only "$site"/_core.*.so | grep -v ' PyInit__core$' || true)
[[ -z $exported ]] || { echo "the module exports more than its one function: $exported"; exit 1; }

step "check types"
environment/bin/python -m mypy --config-file "$checkout/python/pyproject.toml" -p graft_cuda
step "import"
environment/bin/python - <<'PROGRAM'
import subprocess, sys, time

def seconds(statement):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", statement], check=True)
    return time.perf_counter() - start

best = min(seconds("import graft_cuda") for _ in range(5)) - min(seconds("pass") for _ in range(5))
print(f"the import takes {best:.3f} s")
assert best <= 0.15
PROGRAM
step "test"
# Where Numba finds libnvvm: it reads the variable when Python starts.
[[ -z ${GRAFT_CUDA_PATH:-} ]] || export CUDA_HOME=${CUDA_HOME:-$GRAFT_CUDA_PATH}
GRAFT_PYTHON_PAGES=$folder environment/bin/python -m pytest -q -p no:cacheprovider -n 2 tests
environment/bin/python black_scholes.py
step "done"
