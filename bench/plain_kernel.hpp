// A hand-written kernel that doubles an array of floats, compiled by nvcc. Its parameters are two pointers and a count.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

inline constexpr unsigned int kPlainThreads = 256;

// Returns the handle of the kernel for cuLaunchKernel. The kernel computes out[i] = 2 * in[i].
CUfunc_st* plain_kernel_function();

// Launches the same kernel with <<<>>>.
void launch_plain_kernel(cudaStream_t stream, const float* in, float* out, unsigned long long count);

}  // namespace graft::bench
