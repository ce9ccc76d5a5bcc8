// Tests which arrays execute accepts. Mismatched arguments are errors, arrays described at run time (ArrayRef) behave
// exactly like typed arrays, and a launch with more than 2^32 elements reaches every element.
#include <cstdint>
#include <cstring>

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

struct Line {
  float slope, offset;
};

constexpr const char* kLine = R"(
    struct Line { float slope, offset; };
    __device__ float line(float x, short y, double& both, const Line& l) {
      both = 0.5 * x + y;
      return l.slope * x + l.offset;
    }
)";

template <class T>
ArrayRef ref(const DeviceArray<T>& array, const char* type) {
  return {array.data(), array.size(), ElementType::named(type)};
}

// Tests aligned and misaligned inputs, and counts around multiples of the tile (the elements that one thread block
// handles). Arrays whose type is stated at run time must give the same results as arrays whose type C++ knows.
TEST_F(GpuArrays, ByArrayRefGiveTheSameAsByType) {
  const Transform line = Transform::create(kLine);
  const Line state = {3, -1};
  const StateRef bytes(&state, ElementType::structure(sizeof(Line), alignof(Line)));
  for (const std::size_t count : awkward_counts(line.report()))
    for (const std::size_t shift : {0, 1}) {
      SCOPED_TRACE(testing::Message() << count << " elements, shifted by " << shift);
      const DeviceArray<float> x(random_numbers<float>(count, 1), shift);
      const DeviceArray<short> y(random_numbers<short>(count, 2));
      const std::vector<float> floats(count);
      const std::vector<double> doubles(count);
      const DeviceArray<float> typed(floats), untyped(floats);
      const DeviceArray<double> typed_both(doubles), untyped_both(doubles);
      line.execute(nullptr, inputs(x, y), outputs(typed, typed_both), state);
      const std::vector<ArrayRef> in = {ref(x, "f32"), ref(y, "i16")};
      line.execute(nullptr, in, {ref(untyped, "f32"), ref(untyped_both, "f64")}, bytes);
      EXPECT_TRUE(same_bytes(untyped.host(), typed.host()));
      EXPECT_TRUE(same_bytes(untyped_both.host(), typed_both.host()));
      EXPECT_TRUE(untyped.guards_are_intact() && untyped_both.guards_are_intact());
    }
}

TEST_F(GpuArrays, ByArrayRefAreDescribedAsByType) {
  const Transform line = Transform::create(kLine);
  const Line state = {3, -1};
  const DeviceArray<float> x(std::vector<float>(1000));
  const DeviceArray<short> y(std::vector<short>(1000));
  const DeviceArray<float> out(std::vector<float>(1000));
  const DeviceArray<double> both(std::vector<double>(1000));
  const auto typed = line.launch_parameters(inputs(x, y), outputs(out, both), state);
  const auto untyped = line.launch_parameters({ref(x, "f32"), ref(y, "i16")}, {ref(out, "f32"), ref(both, "f64")},
                                              {&state, *line.signature().state()});
  EXPECT_EQ(untyped->function, typed->function);
  EXPECT_EQ(untyped->grid, typed->grid);
  EXPECT_EQ(untyped->block, typed->block);
  // The size of the kernel parameter: a header of 32 bytes, four pointers, and the state of 8 bytes.
  constexpr std::size_t kParameterBytes = 72;
  EXPECT_EQ(std::memcmp(untyped->kernel_params[0], typed->kernel_params[0], kParameterBytes), 0);
}

TEST_F(GpuArrays, ByArrayRefAreRefusedAsByType) {
  const Transform line = Transform::create(kLine);
  const DeviceArray<float> x(std::vector<float>(100));
  const DeviceArray<short> y(std::vector<short>(99));
  const DeviceArray<double> both(std::vector<double>(100));
  const Error typed = error_of([&] { line.execute(nullptr, inputs(x, y), outputs(x, both), Line{}); });
  const Error untyped = error_of([&] {
    line.execute(nullptr, {ref(x, "f32"), ref(y, "i16")}, {ref(x, "f32"), ref(both, "f64")}, Line{});
  });
  EXPECT_EQ(untyped.code(), ErrorCode::CountMismatch);
  EXPECT_STREQ(untyped.what(), typed.what());
}

// Owns device memory and frees it even if a check throws, because the next test may need the memory.
struct Freed {
  explicit Freed(std::size_t bytes) { check(cudaMalloc(&pointer, bytes)); }
  ~Freed() { cudaFree(pointer); }
  Freed(const Freed&) = delete;
  Freed& operator=(const Freed&) = delete;
  void* pointer = nullptr;
};

constexpr std::size_t kHuge = (std::size_t{1} << 32) + 5;

// A second transform, `verify`, compares every element with its expected value on the device and counts the wrong
// elements.
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

  // Checks the last element on the host too, then makes it wrong and checks that `verify` notices. Otherwise a `verify`
  // that never reached the last element would report success.
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
