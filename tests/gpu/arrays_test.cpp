// What execute refuses, and counts beyond 32 bits.
#include <cstdint>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

class GpuArrays : public Gpu {};

TEST_F(GpuArrays, RefusesWhatDoesNotFit) {
  const Transform add = Transform::create("__device__ float add(float a, float b) { return a + b; }");
  const DeviceArray<float> a(std::vector<float>(100));
  const DeviceArray<float> b(std::vector<float>(99));
  const DeviceArray<int> wrong(std::vector<int>(100));
  const DeviceArray<float> out(std::vector<float>(100));
  const auto code = [&](auto call) { return error_of(call).code(); };
  EXPECT_EQ(code([&] { add.execute(nullptr, a, out); }), ErrorCode::CountMismatch);
  EXPECT_EQ(code([&] { add.execute(nullptr, inputs(a, b), out); }), ErrorCode::CountMismatch);
  EXPECT_EQ(code([&] { add.execute(nullptr, inputs(a, wrong), out); }), ErrorCode::TypeMismatch);
  EXPECT_EQ(code([&] { add.execute(nullptr, inputs(a, a), out, 1.0f); }), ErrorCode::TypeMismatch);

  const std::span<float> odd(reinterpret_cast<float*>(reinterpret_cast<char*>(a.data()) + 2), 50);
  EXPECT_EQ(code([&] { add.execute(nullptr, inputs(odd, odd), {out.data(), 50}); }), ErrorCode::Misaligned);
  const std::span<float> half(a.data(), 50);
  EXPECT_EQ(code([&] { add.execute(nullptr, inputs(half, half), {a.data() + 1, 50}); }), ErrorCode::Overlap);

  std::vector<float> on_host(100);
  EXPECT_EQ(code([&] { add.execute(host, host_inputs(on_host, on_host), on_host); }), ErrorCode::InvalidArgument);
}

TEST_F(GpuArrays, CountZeroLaunchesNothing) {
  const Transform t = Transform::create("__device__ float f(float x) { return x; }");
  t.execute(nullptr, {static_cast<float*>(nullptr), 0}, {static_cast<float*>(nullptr), 0});
  EXPECT_EQ(t.launch_parameters({static_cast<float*>(nullptr), 0}, {static_cast<float*>(nullptr), 0})->grid, 0u);
}

// Memory that a failed check does not leak: the next test may need it.
struct Freed {
  explicit Freed(std::size_t bytes) { check(cudaMalloc(&pointer, bytes)); }
  ~Freed() { cudaFree(pointer); }
  Freed(const Freed&) = delete;
  Freed& operator=(const Freed&) = delete;
  void* pointer = nullptr;
};

constexpr std::size_t kHuge = (std::size_t{1} << 32) + 5;

// Every element is checked, on the device, by a second transform that counts what is wrong.
TEST_F(GpuArrays, HugeCountBeyond32Bits) {
  std::size_t free = 0;
  std::size_t total = 0;
  check(cudaMemGetInfo(&free, &total));
  if (free < 2 * kHuge + (std::size_t{1} << 30)) GTEST_SKIP() << "needs 9 GiB of device memory";
  const Freed x_memory(kHuge);
  const Freed y_memory(kHuge);
  auto* const x = static_cast<std::uint8_t*>(x_memory.pointer);
  auto* const y = static_cast<std::uint8_t*>(y_memory.pointer);
  const DeviceArray<unsigned long long> wrong({0});
  struct State {
    unsigned long long* wrong;
  };

  const Transform fill =
      Transform::create("__device__ uint8_t fill(graft::Index i) { return (i.value * 0x9e3779b97f4a7c15ull) >> 56; }");
  const Transform map = Transform::create("__device__ uint8_t map(uint8_t a) { return a ^ 0x5a; }");
  const Transform verify = Transform::create(R"(
      struct State { unsigned long long* wrong; };
      __device__ uint8_t verify(uint8_t a, graft::Index i, const State& s) {
        uint8_t want = uint8_t((i.value * 0x9e3779b97f4a7c15ull) >> 56) ^ 0x5a;
        if (a != want) atomicAdd(s.wrong, 1ull);
        return a;
      })");
  fill.execute(nullptr, inputs(), {x, kHuge});
  map.execute(nullptr, {x, kHuge}, {y, kHuge});
  verify.execute(nullptr, {y, kHuge}, {y, kHuge}, State{wrong.data()});
  EXPECT_EQ(wrong.host()[0], 0u);

  // That the count is right where the last elements stand is not left to the device alone.
  const std::size_t last = kHuge - 1;
  std::uint8_t value = 0;
  check(cudaMemcpy(&value, y + last, 1, cudaMemcpyDeviceToHost));
  EXPECT_EQ(value, static_cast<std::uint8_t>((last * 0x9e3779b97f4a7c15ull) >> 56) ^ 0x5a);
  check(cudaMemset(y + last, value + 1, 1));
  verify.execute(nullptr, {y, kHuge}, {y, kHuge}, State{wrong.data()});
  EXPECT_EQ(wrong.host()[0], 1u);
}

}  // namespace
}  // namespace graft::test
