// The kernel that callbacks had before link-time optimisation, as cuFFT's legacy ones do: compiled apart from them
// (-rdc=true) and linked ahead of time; one element per thread, and for each an indirect call through a pointer that
// the host passes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace graft::bench {

using LegacyCallback = float (*)(float);  // a device address
inline constexpr std::size_t kLegacyCallbacks = 11;

// By the order of route_callbacks.hpp.
LegacyCallback legacy_callback(std::size_t which);

void launch_legacy(cudaStream_t stream, const float* in, float* out, std::size_t count, LegacyCallback callback);

}  // namespace graft::bench
