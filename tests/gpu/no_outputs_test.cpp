// Runs callbacks that write only through pointers in their state: with inputs, and without any array. Each element must
// be counted exactly once, at awkward counts and alignments, on every route.
#include <cstdint>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

Transform transform_by(Route route, const Callback& callback) {
  Options options;
  options.routes.required = route;
  return Transform::create(callback, options);
}

class GpuNoOutputs : public Gpu {};

TEST_F(GpuNoOutputs, CountsElementsInBins) {
  struct Bins {
    unsigned* at;
  };
  const Callback histogram(
      "struct Bins { unsigned* at; };"
      "__device__ void count(uint8_t x, const Bins& bins) { atomicAdd(bins.at + x, 1u); }");
  for (const Route route : kRoutes) {
    const Transform t = transform_by(route, histogram);
    for (const std::size_t count : awkward_counts(t.report()))
      for (const std::size_t shift : {std::size_t{0}, std::size_t{3}}) {
        const auto values = random_bytes<std::uint8_t>(count, static_cast<unsigned>(count));
        const DeviceArray<std::uint8_t> x(values, shift);
        const DeviceArray<unsigned> bins(std::vector<unsigned>(256));
        t.execute(nullptr, x, outputs(), Bins{bins.data()});
        std::vector<unsigned> expected(256);
        for (const std::uint8_t value : values) ++expected[value];
        ASSERT_EQ(bins.host(), expected) << name(route) << ", count " << count << ", shift " << shift;
        ASSERT_TRUE(bins.guards_are_intact());
      }
  }
}

TEST_F(GpuNoOutputs, ScattersWithoutArrays) {
  struct Target {
    std::uint64_t* at;
    std::uint64_t count;
  };
  const Callback reverse(
      "struct Target { uint64_t* at; uint64_t count; };"
      "__device__ void reverse(graft::Index i, const Target& t) { t.at[t.count - 1 - i] += i + 1; }");
  for (const Route route : kRoutes) {
    const Transform t = transform_by(route, reverse);
    for (const std::size_t count : awkward_counts(t.report())) {
      const DeviceArray<std::uint64_t> out{std::vector<std::uint64_t>(count)};
      t.execute(nullptr, graft::count(count), Target{out.data(), count});
      std::vector<std::uint64_t> expected(count);
      for (std::size_t i = 0; i < count; ++i) expected[i] = count - i;
      ASSERT_EQ(out.host(), expected) << name(route) << ", count " << count;
      ASSERT_TRUE(out.guards_are_intact());
    }
  }
}

// launch_parameters describes the same launch.
TEST_F(GpuNoOutputs, DescribesALaunchWithoutArrays) {
  const Transform t = Transform::create("__device__ void f(graft::Index i, unsigned* const& n) { atomicAdd(n, 1u); }");
  const DeviceArray<unsigned> n(std::vector<unsigned>(1));
  const auto launch = t.launch_parameters(graft::count(1000), n.data());
  EXPECT_EQ(launch->grid * launch->block, 1024u);
  EXPECT_EQ(t.launch_parameters(graft::count(0), n.data())->grid, 0u);
}

}  // namespace
}  // namespace graft::test
