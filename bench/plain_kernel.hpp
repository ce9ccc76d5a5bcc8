// A kernel as written by hand for one purpose: two pointers and a count, compiled by nvcc.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

inline constexpr unsigned int kPlainThreads = 256;

// Computes out[i] = 2 * in[i]. Returns the function's handle for cuLaunchKernel.
CUfunc_st* plain_kernel_function();

// Launches the same kernel with <<<>>>.
void launch_plain_kernel(cudaStream_t stream, const float* in, float* out, unsigned long long count);

}  // namespace graft::bench
