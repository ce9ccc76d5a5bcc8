// The promise of reductions: the same bits in every run, on every number of streams, for every alignment, and on the
// host route with every number of threads, where contraction is off.
#include <cuda_runtime.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "gpu/reductions.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

class GpuReduceBits : public Gpu {};

struct Case {
  const char* map;      // of an element T x with its index; empty: none
  const char* combine;  // of T a and T b
};

// Of integers, comparisons, + - * / and sqrt, which every side rounds in the same way.
constexpr Case kCases[] = {
    {"", "a + b"},
    {"", "a / 2 - b"},
    {"x * x / 50", "a + b"},
    {"x + (T)(i % 5)", "a > b ? a : b"},
    {"x < 0 ? -x : x", "a + b / 3"},
    {"(T)(x / 3)", "a < b ? a + 1 : b"},
    {"x * 7 + 1", "a - b"},
    {"(T)(i & 1 ? x : -x)", "(a + b) * 2 / 3"},
};

const char* name_of(float) {
  return "float";
}
const char* name_of(double) {
  return "double";
}
const char* name_of(int) {
  return "int";
}
const char* name_of(std::uint8_t) {
  return "unsigned char";
}
const char* name_of(std::int64_t) {
  return "long long";
}

constexpr std::size_t kLengths[] = {1, 3, 255, 4097, 8193, 30000, 100003, 262144, 500000, 1000003, 2500000, 5000011};

template <class T>
class GpuReduceBitsOf : public Gpu {};
using Elements = testing::Types<float, double, int, std::uint8_t, std::int64_t>;
TYPED_TEST_SUITE(GpuReduceBitsOf, Elements);

TYPED_TEST(GpuReduceBitsOf, AreThoseOfTheHostWithEveryNumberOfThreads) {
  using T = TypeParam;
  const std::string type = std::string("using T = ") + name_of(T()) + ";\n";
  for (const Case& one : kCases) {
    SCOPED_TRACE(type + one.map + ", " + one.combine);
    ReduceCallbacks callbacks = {.combine =
                                     type + "__device__ T combine(T a, T b) { return (T)(" + one.combine + "); }"};
    if (*one.map != '\0')
      callbacks.map = type + "__device__ T map(T x, graft::Index i) { return (T)(" + one.map + "); }";
    const Reduce on_gpu = Reduce::create(callbacks, without_contraction());
    std::vector<Reduce> on_host;
    for (const int threads : {1, 2, 7}) {
      Options options = without_contraction(Route::Host);
      options.host_threads = threads;
      on_host.push_back(Reduce::create(callbacks, options));
    }
    for (const std::size_t count : kLengths) {
      const std::vector<T> values = randoms<T>(count);
      const DeviceArray<T> x{values}, out{std::vector<T>(1)};
      on_gpu.execute(nullptr, x, out);
      const T found = out.host()[0];
      for (const Reduce& reduce : on_host) {
        T wanted = {};
        reduce.execute(host, values, {&wanted, 1});
        ASSERT_EQ(std::memcmp(&found, &wanted, sizeof found), 0) << count;
      }
    }
  }
}

// Sums of such numbers differ in the last bits with each other order.
TEST_F(GpuReduceBits, AreTheSameInEveryRunStreamPlaceAndGraph) {
  const Reduce sum = Reduce::create({.map = "__device__ float f(float x) { return x * 0.3f; }",
                                     .combine = "__device__ float add(float a, float b) { return a + b; }"});
  constexpr std::size_t kCount = 3'000'001;
  const std::vector<float> values = randoms<float>(kCount + 3);
  float first = 0;
  for (const std::size_t shift : {0, 1, 2, 3}) {
    std::vector<float> shifted(kCount + 3);
    std::copy(values.begin(), values.begin() + kCount, shifted.begin() + static_cast<std::ptrdiff_t>(shift));
    const DeviceArray<float> x{shifted}, out{std::vector<float>(100)};
    for (std::size_t run = 0; run < 100; ++run) sum.execute(nullptr, {x.data() + shift, kCount}, {out.data() + run, 1});
    const std::vector<float> found = out.host();
    if (shift == 0) first = found[0];
    EXPECT_EQ(found, std::vector<float>(100, first)) << shift;
    for (const std::size_t streams : {1u, 2u, 16u}) {
      const DeviceArray<float> of_streams{std::vector<float>(streams)};
      std::vector<cudaStream_t> all(streams);
      for (cudaStream_t& stream : all) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
      for (int round = 0; round < 10; ++round)
        for (std::size_t i = 0; i < streams; ++i)
          sum.execute(all[i], {x.data() + shift, kCount}, {of_streams.data() + i, 1});
      check(cudaDeviceSynchronize());
      EXPECT_EQ(of_streams.host(), std::vector<float>(streams, first)) << streams;
      for (cudaStream_t stream : all) check(cudaStreamDestroy(stream));
    }
  }
}

}  // namespace
}  // namespace graft::test
