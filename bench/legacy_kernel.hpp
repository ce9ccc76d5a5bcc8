// A kernel that calls its callbacks in the way that was possible before link-time optimisation, like cuFFT's legacy
// callbacks. The kernel is compiled separately from the callbacks (-rdc=true) and linked with them ahead of time. Each
// thread handles one element and calls the callback through a pointer that the host passes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace graft::bench {

using LegacyCallback = float (*)(float);  // the device address of a callback
inline constexpr std::size_t kLegacyCallbacks = 11;

// Returns the address of the callback with this index in route_callbacks.hpp.
LegacyCallback legacy_callback(std::size_t which);

void launch_legacy(cudaStream_t stream, const float* in, float* out, std::size_t count, LegacyCallback callback);

}  // namespace graft::bench
