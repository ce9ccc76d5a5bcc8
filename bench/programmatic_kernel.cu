// Computes the same as plain_kernel.cu, in a kernel that is launched with the attribute for programmatic stream
// serialization. This file also contains a kernel that spins.
#include "programmatic_kernel.hpp"

#include "cuda_check.hpp"
#include "plain_kernel.hpp"

namespace graft::bench {
namespace {

__global__ void twice(const float* in, float* out, unsigned long long count) {
#if __CUDA_ARCH__ >= 900
  // Allow the next kernel to start now. The next kernel itself waits until this kernel has completely finished.
  cudaTriggerProgrammaticLaunchCompletion();
  cudaGridDependencySynchronize();
#endif
  const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2.0f * in[i];
}

__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

void launch_programmatic_kernel(cudaStream_t stream, const float* in, float* out, unsigned long long count) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = static_cast<unsigned int>((count + kPlainThreads - 1) / kPlainThreads);
  config.blockDim = kPlainThreads;
  config.stream = stream;
  config.attrs = &attribute;
  config.numAttrs = 1;
  check(cudaLaunchKernelEx(&config, twice, in, out, count));
}

void launch_spin(cudaStream_t stream, long long cycles) {
  spin<<<1, 1, 0, stream>>>(cycles);
  check(cudaGetLastError());
}

}  // namespace graft::bench
