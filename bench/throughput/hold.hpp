// Makes the GPU wait until the host has queued all that is to be timed: the time between two events is then that of
// the kernels, and not of the calls that queued them.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

// Queues a kernel that ends when *released (memory that host and device see) is at least `ticket`, and after some
// 20 milliseconds in any case, so that a call that waits for the stream cannot wait for ever.
void queue_hold(cudaStream_t stream, const unsigned* released, unsigned ticket);

}  // namespace graft::bench
