// A kernel as callbacks needed it before link-time optimisation, like cuFFT's legacy callbacks. It is compiled
// separately from the callbacks (-rdc=true) and linked ahead of time. Each thread handles one element with an indirect
// call through a pointer that the host passes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace graft::bench {

using LegacyCallback = float (*)(float);  // a device address
inline constexpr std::size_t kLegacyCallbacks = 11;

// The index is the callback's place in route_callbacks.hpp.
LegacyCallback legacy_callback(std::size_t which);

void launch_legacy(cudaStream_t stream, const float* in, float* out, std::size_t count, LegacyCallback callback);

}  // namespace graft::bench
