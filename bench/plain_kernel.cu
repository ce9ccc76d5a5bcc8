// The hand-written reference kernel for launch costs. It handles one element per thread and has no tuning.
#include "cuda_check.hpp"
#include "plain_kernel.hpp"

namespace graft::bench {
namespace {

__global__ void twice(const float* in, float* out, unsigned long long count) {
  const unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 2.0f * in[i];
}

}  // namespace

CUfunc_st* plain_kernel_function() {
  cudaFunction_t function = nullptr;
  check(cudaGetFuncBySymbol(&function, reinterpret_cast<const void*>(&twice)));
  return function;
}

void launch_plain_kernel(cudaStream_t stream, const float* in, float* out, unsigned long long count) {
  const unsigned int blocks = static_cast<unsigned int>((count + kPlainThreads - 1) / kPlainThreads);
  twice<<<blocks, kPlainThreads, 0, stream>>>(in, out, count);
}

}  // namespace graft::bench
