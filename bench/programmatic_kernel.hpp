// plain_kernel's kernel for programmatic dependent launch: its blocks may come up while the kernel before it in the
// stream still runs, and wait for that one's results before they read.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

// Writes twice the input. Needs compute capability 9.0.
void launch_programmatic_kernel(cudaStream_t stream, const float* in, float* out, unsigned long long count);

// Keeps one thread busy for about that many clock cycles, so that what is queued behind it waits together.
void launch_spin(cudaStream_t stream, long long cycles);

}  // namespace graft::bench
