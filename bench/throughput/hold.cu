// A kernel of one thread that polls host memory until it is released or its time limit has passed.
#include "hold.hpp"

#include "../cuda_check.hpp"

namespace graft::bench {
namespace {

constexpr unsigned long long kMaxNanoseconds = 20'000'000;

__device__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

__global__ void hold(const volatile unsigned* released, unsigned ticket) {
  const unsigned long long start = nanoseconds();
  while (*released < ticket && nanoseconds() - start < kMaxNanoseconds) {
  }
}

}  // namespace

void queue_hold(cudaStream_t stream, const unsigned* released, unsigned ticket) {
  hold<<<1, 1, 0, stream>>>(released, ticket);
  check(cudaGetLastError());
}

}  // namespace graft::bench
