// Hand-written kernels for bench_updates, compiled by nvcc: the kernels of CUDA tuning guides, in which each thread
// reads and writes 16-byte words and which require whole words.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace graft::bench {

inline constexpr int kLatticeInputs = 12;
inline constexpr int kLatticeOutputs = 6;
inline constexpr std::size_t kUpdateBlock = 256 * 4;  // elements of a thread block; counts must be multiples of this

// y[i] = x[i] where flags[i] is not 0. `count` is a multiple of 256.
void launch_update_where(cudaStream_t stream, float* y, const float* x, const unsigned char* flags, std::size_t count);

// Computes a[i] += b[i] + scalar * c[i].
void launch_nstream(cudaStream_t stream, float* a, const float* b, const float* c, float scalar, std::size_t count);

struct LatticeArrays {
  const float* in[kLatticeInputs];
  float* out[kLatticeOutputs];
};

// Computes out[k][i] = in[2 * k][i] + 0.4f * in[2 * k + 1][i].
void launch_lattice(cudaStream_t stream, const LatticeArrays& arrays, std::size_t count);

}  // namespace graft::bench
