// Calls the toolkit's cub::DeviceTransform as its documentation shows.
#pragma once

#include <cuda_runtime_api.h>

namespace graft::bench {

void cub_twice(cudaStream_t stream, const float* in, float* out, unsigned long long count);

}  // namespace graft::bench
