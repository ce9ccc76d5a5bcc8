// Makes the GPU wait until the host has queued everything that is to be timed. The time between two events is then the
// time of the kernels, without the host calls that queue them.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

// Queues a kernel that ends when *released (memory visible to host and device) is at least `ticket`, or after about 20
// milliseconds, so that a launch which waits for the stream cannot deadlock.
void queue_hold(cudaStream_t stream, const unsigned* released, unsigned ticket);

}  // namespace graft::bench
