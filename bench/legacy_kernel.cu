#include <iterator>

#include "cuda_check.hpp"
#include "legacy_kernel.hpp"
#include "route_callbacks.hpp"

namespace graft::bench {
namespace {

constexpr unsigned kThreads = 256;

#define DEFINE(name, ...) __VA_ARGS__
GRAFT_BENCH_CALLBACKS(DEFINE)

#define POINTER(name, ...) name,
__device__ LegacyCallback callbacks[] = {GRAFT_BENCH_CALLBACKS(POINTER)};

__global__ void legacy(const float* in, float* out, std::size_t count, LegacyCallback callback) {
  const std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = callback(in[i]);
}

}  // namespace

LegacyCallback legacy_callback(std::size_t which) {
  LegacyCallback all[sizeof callbacks / sizeof callbacks[0]];
  check(cudaMemcpyFromSymbol(all, callbacks, sizeof all));
  return which < std::size(all) ? all[which] : nullptr;
}

void launch_legacy(cudaStream_t stream, const float* in, float* out, std::size_t count, LegacyCallback callback) {
  legacy<<<static_cast<unsigned>((count + kThreads - 1) / kThreads), kThreads, 0, stream>>>(in, out, count, callback);
  check(cudaGetLastError());
}

}  // namespace graft::bench
