// Functions with 64-bit integers for wide_integers_test.cpp. nvcc mangles <cstdint>'s 64-bit types as `l` and `m`.
#include <cstdint>

struct Pair {
  std::int64_t a, b;
};

__device__ std::int64_t add(std::int64_t x, std::uint64_t y) {
  return x + static_cast<std::int64_t>(y);
}
__device__ long long mixed(std::int64_t x, long long y, std::uint64_t& z) {
  z = static_cast<std::uint64_t>(x);
  return x + y;
}
namespace math {
__device__ std::uint64_t scaled(std::uint64_t x, const std::int64_t& by) {
  return x * static_cast<std::uint64_t>(by);
}
}  // namespace math
__device__ std::int64_t of_pair(Pair p, const Pair& q) {
  return p.a * q.a + p.b;
}
__device__ float narrow(float x) {
  return 2 * x;
}
// Two overloads of one name. Each declared signature must select its own overload.
__device__ long both(long x) {
  return x + 1;
}
__device__ long long both(long long x) {
  return x + 2;
}
