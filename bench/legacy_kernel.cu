// The kernel of legacy_kernel.hpp, and a function that returns the device addresses of its callbacks.
#include "cuda_check.hpp"
#include "legacy_kernel.hpp"

namespace graft::bench {

extern __device__ LegacyCallback legacy_callbacks[kLegacyCallbacks];

namespace {

constexpr unsigned kThreads = 256;

__global__ void legacy(const float* in, float* out, std::size_t count, LegacyCallback callback) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = callback(in[i]);
}

}  // namespace

LegacyCallback legacy_callback(std::size_t which) {
  LegacyCallback callback = nullptr;
  check(cudaMemcpyFromSymbol(&callback, legacy_callbacks, sizeof callback, which * sizeof callback));
  return callback;
}

void launch_legacy(cudaStream_t stream, const float* in, float* out, std::size_t count, LegacyCallback callback) {
  legacy<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(in, out, count, callback);
  check(cudaGetLastError());
}

}  // namespace graft::bench
