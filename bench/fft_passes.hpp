// Kernels that do before and after a plain FFT what callbacks do inside of it: the way without callbacks. Arrays begin
// at multiples of 16 bytes, and counts are numbers of points, less than 2^32.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace graft::bench {

// Computes out[i] = in[i] * window[i % length], for a window of real numbers.
void launch_window(cudaStream_t stream, bool is_double, void* out, const void* in, const void* window,
                   std::uint32_t length, std::uint64_t count);

// Computes points[i] *= *factor.
void launch_scale(cudaStream_t stream, bool is_double, void* points, const void* factor, std::uint64_t count);

// Computes points[i] *= filter[i % length], for a filter of complex numbers.
void launch_filter(cudaStream_t stream, bool is_double, void* points, const void* filter, std::uint32_t length,
                   std::uint64_t count);

}  // namespace graft::bench
