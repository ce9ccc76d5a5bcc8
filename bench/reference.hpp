// Random data on the GPU, and a second opinion on every result: kernels compiled by nvcc, which share nothing with
// graft, work each element out again in double precision.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace graft::bench {

inline constexpr float kScalar = 0.4f;  // BabelStream's
inline constexpr int kByteScalar = 3;

struct Rgb {
  unsigned char r, g, b;
};

// Never zero, and different for every seed: arrays of zeros are moved faster by memory that compresses.
void fill_bytes(cudaStream_t stream, unsigned char* data, std::size_t count, unsigned seed);
void fill_floats(cudaStream_t stream, float* data, std::size_t count, unsigned seed);  // in +-[0.5, 2)
void fill_halves(cudaStream_t stream, void* data, std::size_t count, unsigned seed);   // in +-(0, 5)

struct Arrays {
  const void* in[3];
  const void* out;
  std::size_t count;
};

// How many of all elements are wrong, or are not what correct rounding allows.
using Verify = unsigned long long (*)(cudaStream_t stream, const Arrays& arrays);
unsigned long long verify_byte_mul(cudaStream_t stream, const Arrays& arrays);
unsigned long long verify_mul(cudaStream_t stream, const Arrays& arrays);
unsigned long long verify_triad(cudaStream_t stream, const Arrays& arrays);
unsigned long long verify_nstream(cudaStream_t stream, const Arrays& arrays);
unsigned long long verify_gray(cudaStream_t stream, const Arrays& arrays);
unsigned long long verify_gelu(cudaStream_t stream, const Arrays& arrays);

}  // namespace graft::bench
