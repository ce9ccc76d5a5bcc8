// Each thread handles one float4 of every array, and update_where one element.
#include "cuda_check.hpp"
#include "update_kernels.hpp"

namespace graft::bench {
namespace {

__device__ float4 plus_scaled(float4 b, float4 c, float scalar) {
  return make_float4(b.x + scalar * c.x, b.y + scalar * c.y, b.z + scalar * c.z, b.w + scalar * c.w);
}

__global__ void __launch_bounds__(256) nstream(float4* a, const float4* b, const float4* c, float scalar) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  float4 old = a[i];
  const float4 by = plus_scaled(b[i], c[i], scalar);
  old.x += by.x;
  old.y += by.y;
  old.z += by.z;
  old.w += by.w;
  a[i] = old;
}

__global__ void __launch_bounds__(256) lattice(const __grid_constant__ LatticeArrays arrays) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  float4 in[kLatticeInputs];
#pragma unroll
  for (int k = 0; k < kLatticeInputs; ++k) in[k] = reinterpret_cast<const float4*>(arrays.in[k])[i];
#pragma unroll
  for (int k = 0; k < kLatticeOutputs; ++k)
    reinterpret_cast<float4*>(arrays.out[k])[i] = plus_scaled(in[2 * k], in[2 * k + 1], 0.4f);
}

// Neighbouring threads handle neighbouring elements, so the stores of a warp to one sector are one request.
__global__ void __launch_bounds__(256) update_where(float* y, const float* x, const unsigned char* flags) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const float value = x[i];
  if (flags[i] != 0) y[i] = value;
}

}  // namespace

void launch_update_where(cudaStream_t stream, float* y, const float* x, const unsigned char* flags, std::size_t count) {
  update_where<<<static_cast<unsigned>(count / 256), 256, 0, stream>>>(y, x, flags);
  check(cudaGetLastError());
}

void launch_nstream(cudaStream_t stream, float* a, const float* b, const float* c, float scalar, std::size_t count) {
  nstream<<<static_cast<unsigned>(count / kUpdateBlock), 256, 0, stream>>>(
      reinterpret_cast<float4*>(a), reinterpret_cast<const float4*>(b), reinterpret_cast<const float4*>(c), scalar);
  check(cudaGetLastError());
}

void launch_lattice(cudaStream_t stream, const LatticeArrays& arrays, std::size_t count) {
  lattice<<<static_cast<unsigned>(count / kUpdateBlock), 256, 0, stream>>>(arrays);
  check(cudaGetLastError());
}

}  // namespace graft::bench
