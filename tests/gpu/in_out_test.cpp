// Updates arrays in place, at awkward counts and alignments. The result must match a loop on the host, no byte outside
// the arrays may change, and an array that is only read keeps its bytes.
#include <cstdint>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};
constexpr std::size_t kShifts[] = {0, 1, 3};

Transform transform_by(Route route, const Callback& callback) {
  Options options;
  options.routes.required = route;
  options.floating_point.contraction = false;
  return Transform::create(callback, options);
}

// Calls `check_once(transform, count, shift, other_shift)` for each route, count and pair of shifts.
template <class Check>
void for_each_launch(const Callback& callback, Check check_once) {
  for (const Route route : kRoutes) {
    const Transform transform = transform_by(route, callback);
    for (const std::size_t count : awkward_counts(transform.report()))
      for (const std::size_t shift : kShifts)
        for (const std::size_t other : {shift, shift + 1}) {
          SCOPED_TRACE(testing::Message()
                       << name(route) << ", count " << count << ", shifts " << shift << ", " << other);
          check_once(transform, count, shift, other);
          if (testing::Test::HasFatalFailure()) return;
        }
  }
}

class GpuInOut : public Gpu {};

TEST_F(GpuInOut, UpdatesFloats) {
  const Callback step("__device__ void step(graft::InOut<float> x, float v, const float& dt) { x += dt * v; }");
  for_each_launch(step, [](const Transform& t, std::size_t count, std::size_t shift, std::size_t other) {
    const auto before = random_numbers<float>(count, 1);
    const auto velocity = random_numbers<float>(count, 2);
    const DeviceArray<float> x(before, shift), v(velocity, other);
    t.execute(nullptr, v, x, 0.25f);
    std::vector<float> expected = before;
    for (std::size_t i = 0; i < count; ++i) expected[i] += 0.25f * velocity[i];
    ASSERT_TRUE(same_bytes(x.host(), expected));
    ASSERT_TRUE(same_bytes(v.host(), velocity));
    ASSERT_TRUE(x.guards_are_intact() && v.guards_are_intact());
  });
}

// Bytes and shorts, whose arrays are differently aligned inside one 4-byte word, and a result in front of the in-out
// arrays.
TEST_F(GpuInOut, UpdatesNarrowIntegersBesideAResult) {
  const Callback count_up(
      "__device__ uint8_t f(graft::InOut<uint8_t> a, uint16_t by, graft::InOut<uint16_t> b) {"
      "  const uint8_t old = a; a += by; b ^= a; return old; }");
  for_each_launch(count_up, [](const Transform& t, std::size_t count, std::size_t shift, std::size_t other) {
    const auto a = random_bytes<std::uint8_t>(count, 1);
    const auto b = random_bytes<std::uint16_t>(count, 2);
    const auto by = random_bytes<std::uint16_t>(count, 3);
    const DeviceArray<std::uint8_t> da(a, shift), old(random_bytes<std::uint8_t>(count, 4), other);
    const DeviceArray<std::uint16_t> db(b, other), dby(by, shift);
    t.execute(nullptr, dby, outputs(old, da, db));
    std::vector<std::uint8_t> new_a = a;
    std::vector<std::uint16_t> new_b = b;
    for (std::size_t i = 0; i < count; ++i) {
      new_a[i] = static_cast<std::uint8_t>(new_a[i] + by[i]);
      new_b[i] = static_cast<std::uint16_t>(new_b[i] ^ new_a[i]);
    }
    ASSERT_TRUE(same_bytes(old.host(), a));
    ASSERT_TRUE(same_bytes(da.host(), new_a));
    ASSERT_TRUE(same_bytes(db.host(), new_b));
    ASSERT_TRUE(da.guards_are_intact() && db.guards_are_intact() && old.guards_are_intact());
  });
}

struct Rgb {
  std::uint8_t r, g, b;
};

TEST_F(GpuInOut, UpdatesStructsThroughSharedMemory) {
  const Callback tint(
      "struct Rgb { uint8_t r, g, b; };"
      "__device__ void tint(graft::InOut<Rgb> p, uint8_t by, graft::Index i) { p.r += by; p.b = p.r ^ i.value; }");
  for_each_launch(tint, [](const Transform& t, std::size_t count, std::size_t shift, std::size_t other) {
    const auto before = random_bytes<Rgb>(count, 1);
    const auto by = random_bytes<std::uint8_t>(count, 2);
    const DeviceArray<Rgb> p(before, shift);
    const DeviceArray<std::uint8_t> dby(by, other);
    t.execute(nullptr, dby, p);
    std::vector<Rgb> expected = before;
    for (std::size_t i = 0; i < count; ++i) {
      expected[i].r = static_cast<std::uint8_t>(expected[i].r + by[i]);
      expected[i].b = static_cast<std::uint8_t>(expected[i].r ^ i);
    }
    ASSERT_TRUE(same_bytes(p.host(), expected));
    ASSERT_TRUE(p.guards_are_intact());
  });
}

// One array and nothing else. The callback may do nothing for an element, and then the element must stay as it is.
TEST_F(GpuInOut, LeavesElementsThatTheCallbackDoesNotChange) {
  const Callback halve("__device__ void halve(graft::InOut<double> x) { if (x > 0) x *= 0.5; }");
  for_each_launch(halve, [](const Transform& t, std::size_t count, std::size_t shift, std::size_t) {
    const auto before = random_numbers<double>(count, 1);
    const DeviceArray<double> x(before, shift);
    t.execute(nullptr, inputs(), x);
    std::vector<double> expected = before;
    for (double& value : expected)
      if (value > 0) value *= 0.5;
    ASSERT_TRUE(same_bytes(x.host(), expected));
  });
}

TEST_F(GpuInOut, MayAlsoBeAnInput) {
  const Callback add("__device__ void add(graft::InOut<int> x, int y) { x += y; }");
  for_each_launch(add, [](const Transform& t, std::size_t count, std::size_t shift, std::size_t) {
    const auto before = random_bytes<std::int32_t>(count, 1);
    const DeviceArray<std::int32_t> x(before, shift);
    t.execute(nullptr, x, x);
    std::vector<std::int32_t> expected = before;
    for (std::int32_t& value : expected) value = static_cast<std::int32_t>(2u * static_cast<std::uint32_t>(value));
    ASSERT_TRUE(same_bytes(x.host(), expected));
  });
}

TEST_F(GpuInOut, EndsAChain) {
  const Callback both = chain("__device__ float twice(float v) { return 2 * v; }",
                              "__device__ void move(float v, graft::InOut<float> x) { x += v; }");
  for_each_launch(both, [](const Transform& t, std::size_t count, std::size_t shift, std::size_t other) {
    const auto before = random_numbers<float>(count, 1);
    const auto velocity = random_numbers<float>(count, 2);
    const DeviceArray<float> x(before, shift), v(velocity, other);
    t.execute(nullptr, v, x);
    std::vector<float> expected = before;
    for (std::size_t i = 0; i < count; ++i) expected[i] += 2 * velocity[i];
    ASSERT_TRUE(same_bytes(x.host(), expected));
    ASSERT_TRUE(x.guards_are_intact());
  });
}

// In packs, the general adapter is linked on this machine.
TEST_F(GpuInOut, WorksFromAPack) {
  const Callback step("__device__ void step(graft::InOut<float> x, float v) { x -= v; }");
  const Callback pack = Callback::pack(step.precompile({75}));
  const Transform t = Transform::create(pack);
  const auto before = random_numbers<float>(10'007, 1);
  const auto velocity = random_numbers<float>(10'007, 2);
  const DeviceArray<float> x(before, 1), v(velocity, 2);
  t.execute(nullptr, v, x);
  std::vector<float> expected = before;
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] -= velocity[i];
  EXPECT_TRUE(same_bytes(x.host(), expected));
}

}  // namespace
}  // namespace graft::test
