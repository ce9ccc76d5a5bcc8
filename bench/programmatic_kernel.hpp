// The kernel of plain_kernel.hpp with programmatic dependent launch: its thread blocks may be scheduled while the
// previous kernel in the stream still runs, and wait for that kernel's results before they read.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

// Launches a kernel that computes out[i] = 2 * in[i]. Needs compute capability 9.0.
void launch_programmatic_kernel(cudaStream_t stream, const float* in, float* out, unsigned long long count);

// Keeps one GPU thread busy for about this many clock cycles. Work that is queued on the stream in the meantime starts
// only when the thread ends.
void launch_spin(cudaStream_t stream, long long cycles);

}  // namespace graft::bench
