// Makes the GPU wait until the host has queued everything that is to be timed. The time between two events is then the
// time of the kernels, without the host calls that queue them.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

// Queues a kernel that ends when *released, in memory that host and device can access, is at least `ticket`. After
// about 20 milliseconds the kernel ends in any case. Otherwise a launch call that waits for the stream would never
// return, because *released changes only after the call.
void queue_hold(cudaStream_t stream, const unsigned* released, unsigned ticket);

}  // namespace graft::bench
