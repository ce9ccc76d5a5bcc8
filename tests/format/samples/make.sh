#!/usr/bin/env bash
# Creates the samples of this folder again, in another folder: make.sh FOLDER
# The samples are kept in the repository because no single toolkit writes all of them. A toolkit other than CUDA 13.0
# writes other bytes, for which the sizes in the tests' tables would be wrong. Each file named nvrtc_* is `__device__
# float relu(float x) { return x > 0 ? x : 0; }`, compiled by the NVRTC release and for the architecture in its name,
# with -dlto -rdc=true (.ltoir) or -rdc=true (.cubin).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$1
mkdir -p "$out"
cd "$out"
cp "$here/callbacks.cu" .

nvcc -dlto -ltoir -arch=sm_75 callbacks.cu -o nvcc_75.ltoir
nvcc -dlto -ltoir -arch=sm_90a callbacks.cu -o nvcc_90a.ltoir
nvcc -ptx -rdc=true -arch=sm_75 callbacks.cu -o nvcc_75.ptx
nvcc -cubin -rdc=true -arch=sm_75 callbacks.cu -o nvcc_75.cubin
printf '__global__ void kernel(float* p) { *p = 1.0f; }\n' > kernel.cu
nvcc -cubin -arch=sm_120 kernel.cu -o nvcc_120_linked.cubin
nvcc -fatbin -rdc=true -gencode arch=compute_75,code='[compute_75,sm_75]' -gencode arch=compute_100f,code=sm_100f \
  -gencode arch=compute_90a,code=lto_90a callbacks.cu -o compressed.fatbin
nvcc -fatbin -rdc=true -no-compress -gencode arch=compute_75,code='[compute_75,sm_75]' \
  -gencode arch=compute_90a,code=compute_90a callbacks.cu -o plain.fatbin
nvcc -fatbin -rdc=true -no-compress -gencode arch=compute_75,code=lto_75 callbacks.cu -o plain_lto.fatbin
nvcc -c -rdc=true -arch=sm_75 callbacks.cu -o relocatable.o
nvcc -c -dlto -arch=sm_90 callbacks.cu -o dlto.o
printf 'int host_only() { return 1; }\n' > host.cpp
g++ -c host.cpp -o host.o
cp dlto.o a_name_of_more_than_fifteen_letters.o
rm -f library.a
ar rcsD library.a a_name_of_more_than_fifteen_letters.o host.o
rm -f a_name_of_more_than_fifteen_letters.o kernel.cu host.cpp callbacks.cu
