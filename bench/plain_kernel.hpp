// A kernel as one writes it by hand: its own pointers and count, compiled by nvcc.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

inline constexpr unsigned int kPlainThreads = 256;

// out[i] = 2 * in[i]. The function's handle, for cuLaunchKernel.
CUfunc_st* plain_kernel_function();

// The same through <<<>>>.
void launch_plain_kernel(cudaStream_t stream, const float* in, float* out, unsigned long long count);

}  // namespace graft::bench
