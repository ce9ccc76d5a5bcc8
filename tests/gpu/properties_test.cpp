// Compares callbacks of many signatures, at awkward counts and alignments, with a loop on the host. Results must match
// exactly, and the guard bytes around each array must stay intact. Off-by-one errors therefore show here, also at the
// edges of a tile (the elements that one thread block handles).
#include <complex>
#include <cstdint>
#include <type_traits>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr std::size_t kShifts[] = {0, 1, 3};

// Runs out = f(in...) once. If `alike` is true, every array starts `shift` elements after a 256-byte boundary.
// Otherwise each array has a different shift.
template <class Out, class... In, class Reference>
void check_once(const Transform& transform, Reference reference, std::size_t count, std::size_t shift, bool alike,
                const std::vector<In>&... inputs) {
  std::size_t next = shift;
  const auto next_shift = [&] { return alike ? shift : next++; };
  const DeviceArray<Out> out(random_bytes<Out>(count, 99), next_shift());
  const auto run = [&](const auto&... arrays) {
    transform.execute(nullptr, graft::inputs(arrays...), out);
    check(cudaDeviceSynchronize());
    ASSERT_TRUE((arrays.guards_are_intact() && ...));
    ASSERT_TRUE(
        (same_bytes(arrays.host(), {inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(count)}) && ...));
  };
  run(DeviceArray<In>({inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(count)}, next_shift())...);
  std::vector<Out> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = reference(inputs[i]...);
  ASSERT_TRUE(same_bytes(out.host(), expected));
  ASSERT_TRUE(out.guards_are_intact());
}

// Runs check_once at every awkward count and shift. Results must be equal bit for bit, and no byte outside the outputs
// may change.
template <class Out, class... In, class Reference>
void check_map(const Transform& transform, Reference reference, const std::vector<In>&... inputs) {
  for (const std::size_t count : awkward_counts(transform.report()))
    for (const std::size_t shift : kShifts)
      for (const bool alike : {true, false}) {
        SCOPED_TRACE(testing::Message() << "count " << count << ", shift " << shift << ", alike " << alike);
        check_once<Out>(transform, reference, count, shift, alike, inputs...);
        if (testing::Test::HasFatalFailure()) return;
      }
}

constexpr std::size_t kMost = 600'000;  // larger than all of awkward_counts

class GpuProperties : public Gpu {};

TEST_F(GpuProperties, UnaryFloat) {
  const Transform t = Transform::create("__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }");
  EXPECT_TRUE(t.report().inlined());
  check_map<float>(
      t, [](float x) { return x > 0 ? x : 0.0f; }, random_numbers<float>(kMost, 1));
}

TEST_F(GpuProperties, BinaryBytes) {
  const Transform t = Transform::create("__device__ signed char mul(signed char a, signed char b) { return a * b; }");
  check_map<std::int8_t>(
      t, [](std::int8_t a, std::int8_t b) { return static_cast<std::int8_t>(a * b); },
      random_bytes<std::int8_t>(kMost, 1), random_bytes<std::int8_t>(kMost, 2));
}

template <class T>
class GpuIntegers : public Gpu {};
using Integers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                std::int64_t, std::uint64_t>;
TYPED_TEST_SUITE(GpuIntegers, Integers);

TYPED_TEST(GpuIntegers, Multiply) {
  using T = TypeParam;
  const std::string type = (std::is_signed_v<T> ? "int" : "uint") + std::to_string(8 * sizeof(T)) + "_t";
  const Transform t = Transform::create("__device__ TYPE f(TYPE a, TYPE b) { return (uint64_t)a * (uint64_t)b; }",
                                        {.defines = {{"TYPE", type}}});
  check_map<T>(
      t, [](T a, T b) { return static_cast<T>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b)); },
      random_bytes<T>(kMost, 1), random_bytes<T>(kMost, 2));
}

TEST_F(GpuProperties, MixedSizes) {
  const Transform t = Transform::create(
      "__device__ double f(float a, double b, signed char c, short d) { return a + b * 2.0 + c - d; }",
      {.floating_point = {.contraction = false}});
  check_map<double>(
      t, [](float a, double b, std::int8_t c, std::int16_t d) { return a + b * 2.0 + c - d; },
      random_numbers<float>(kMost, 1), random_numbers<double>(kMost, 2), random_bytes<std::int8_t>(kMost, 3),
      random_bytes<std::int16_t>(kMost, 4));
}

TEST_F(GpuProperties, EightInputs) {
  const Transform t = Transform::create(
      "__device__ unsigned f(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, "
      "unsigned h) { return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h; }");
  const auto x = [](unsigned seed) { return random_bytes<unsigned>(kMost, seed); };
  check_map<unsigned>(
      t,
      [](unsigned a, unsigned b, unsigned c, unsigned d, unsigned e, unsigned f, unsigned g, unsigned h) {
        return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
      },
      x(1), x(2), x(3), x(4), x(5), x(6), x(7), x(8));
}

template <int N>
struct Bytes {
  unsigned char b[N];
};

template <int N>
void check_bytes_struct() {
  const Transform t = Transform::create(
      "struct B { unsigned char b[BYTES]; };"
      "__device__ B rotate(B x) { B y; for (int i = 0; i < BYTES; ++i) y.b[i] = x.b[(i + 1) % BYTES] ^ i; return y; }",
      {.defines = {{"BYTES", std::to_string(N)}}});
  check_map<Bytes<N>>(
      t,
      [](Bytes<N> x) {
        Bytes<N> y;
        for (int i = 0; i < N; ++i) y.b[i] = static_cast<unsigned char>(x.b[(i + 1) % N] ^ i);
        return y;
      },
      random_bytes<Bytes<N>>(kMost, 5));
}

TEST_F(GpuProperties, StructOf3Bytes) {
  check_bytes_struct<3>();
}
TEST_F(GpuProperties, StructOf5Bytes) {
  check_bytes_struct<5>();
}
TEST_F(GpuProperties, StructOf6Bytes) {
  check_bytes_struct<6>();
}
TEST_F(GpuProperties, StructOf7Bytes) {
  check_bytes_struct<7>();
}
TEST_F(GpuProperties, StructOf12Bytes) {
  check_bytes_struct<12>();
}
TEST_F(GpuProperties, StructOf24Bytes) {
  check_bytes_struct<24>();
}
TEST_F(GpuProperties, StructOf31Bytes) {
  check_bytes_struct<31>();
}
TEST_F(GpuProperties, StructOf32Bytes) {
  check_bytes_struct<32>();
}

struct Rgb {
  std::uint8_t r, g, b;
};

TEST_F(GpuProperties, RgbToGray) {
  const Transform t = Transform::create(
      "struct Rgb { uint8_t r, g, b; };"
      "__device__ uint8_t gray(Rgb p) { return (77 * p.r + 150 * p.g + 29 * p.b + 128) >> 8; }");
  EXPECT_EQ(t.report().kernel.tuning["vector_width"], 16);
  check_map<std::uint8_t>(
      t, [](Rgb p) { return static_cast<std::uint8_t>((77 * p.r + 150 * p.g + 29 * p.b + 128) >> 8); },
      random_bytes<Rgb>(kMost, 6));
}

TEST_F(GpuProperties, Complex) {
  using C = std::complex<float>;
  const Transform t =
      Transform::create("__device__ graft::complex<float> conjugate(graft::complex<float> z) { return conj(z); }");
  auto random = random_numbers<float>(2 * kMost, 7);
  std::vector<C> z(kMost);
  std::memcpy(static_cast<void*>(z.data()), random.data(), kMost * sizeof(C));
  check_map<C>(
      t, [](C a) { return std::conj(a); }, z);
}

TEST_F(GpuProperties, FourOutputs) {
  const Transform t = Transform::create(
      "__device__ float f(float x, double& d, signed char& c, unsigned short& s) { d = 2.0 * x; c = x > 0; return -x; "
      "}");
  for (const std::size_t count : awkward_counts(t.report())) {
    const std::vector<float> x = random_numbers<float>(count, 8);
    const DeviceArray<float> in(x);
    const DeviceArray<float> a(random_bytes<float>(count, 1));
    const DeviceArray<double> b(random_bytes<double>(count, 2));
    const DeviceArray<std::int8_t> c(random_bytes<std::int8_t>(count, 3));
    const DeviceArray<std::uint16_t> s(random_bytes<std::uint16_t>(count, 4));
    t.execute(nullptr, in, graft::outputs(a, b, c, s));
    check(cudaDeviceSynchronize());
    const auto ha = a.host();
    const auto hb = b.host();
    const auto hc = c.host();
    const auto hs = s.host();
    for (std::size_t i = 0; i < count; ++i) {
      ASSERT_EQ(ha[i], -x[i]);
      ASSERT_EQ(hb[i], 2.0 * x[i]);
      ASSERT_EQ(hc[i], x[i] > 0);
      ASSERT_EQ(hs[i], 0) << "an output that is not written is zero";
    }
    ASSERT_TRUE(a.guards_are_intact() && b.guards_are_intact() && c.guards_are_intact() && s.guards_are_intact());
  }
}

TEST_F(GpuProperties, IndexAlone) {
  const Transform t =
      Transform::create("__device__ unsigned long long iota(graft::Index i) { return i.value * 3 + 1; }");
  for (const std::size_t count : awkward_counts(t.report())) {
    const DeviceArray<unsigned long long> out(random_bytes<unsigned long long>(count, 1), 1);
    t.execute(nullptr, graft::inputs(), out);
    const auto values = out.host();
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], i * 3 + 1);
    ASSERT_TRUE(out.guards_are_intact());
  }
}

struct Table {
  float values[64];
};
struct Largest {
  std::uint32_t values[512];
};

TEST_F(GpuProperties, StateOf256Bytes) {
  const Transform t = Transform::create(
      "struct Table { float values[64]; };"
      "__device__ float look(unsigned char k, const Table& t) { return t.values[k % 64]; }");
  const std::vector<unsigned char> k = random_bytes<unsigned char>(kMost, 1);
  const DeviceArray<unsigned char> in(k);
  const DeviceArray<float> out(random_bytes<float>(kMost, 2));
  // Another seed gives the state another value, which the same kernel must accept.
  for (const unsigned seed : {1u, 2u}) {
    Table table;
    const auto random = random_numbers<float>(64, seed);
    std::copy(random.begin(), random.end(), table.values);
    t.execute(nullptr, in, out, table);
    const auto values = out.host();
    for (std::size_t i = 0; i < kMost; ++i) ASSERT_EQ(values[i], table.values[k[i] % 64]);
  }
}

TEST_F(GpuProperties, StateOf2KiB) {
  const Transform t = Transform::create(
      "struct Largest { uint32_t values[512]; };"
      "__device__ uint32_t look(uint16_t k, const Largest& t) { return t.values[k % 512]; }");
  const std::vector<std::uint16_t> k = random_bytes<std::uint16_t>(kMost, 1);
  const DeviceArray<std::uint16_t> in(k);
  const DeviceArray<std::uint32_t> out(random_bytes<std::uint32_t>(kMost, 2));
  Largest table;
  const auto random = random_bytes<std::uint32_t>(512, 3);
  std::copy(random.begin(), random.end(), table.values);
  t.execute(nullptr, in, out, table);
  const auto values = out.host();
  for (std::size_t i = 0; i < kMost; ++i) ASSERT_EQ(values[i], table.values[k[i] % 512]);
}

TEST_F(GpuProperties, StateChangesWithoutRecompiling) {
  Engine engine;
  const std::string source = "__device__ float scale(float x, const float& a) { return a * x; }";
  const Transform t = Transform::create(engine, source);
  const Counters before = engine.counters();
  const DeviceArray<float> in(std::vector<float>(1000, 3.0f));
  const DeviceArray<float> out(std::vector<float>(1000));
  for (const float a : {2.0f, 5.0f}) {
    t.execute(nullptr, in, out, a);
    EXPECT_EQ(out.host()[999], 3.0f * a);
  }
  EXPECT_EQ(engine.counters().builds, before.builds);
}

TEST_F(GpuProperties, ExactlyInPlace) {
  const Transform t = Transform::create("__device__ float twice(float x) { return 2 * x; }");
  for (const std::size_t count : awkward_counts(t.report())) {
    for (const std::size_t shift : kShifts) {
      const auto x = random_numbers<float>(count, 1);
      const DeviceArray<float> a(x, shift);
      t.execute(nullptr, a, a);
      const auto values = a.host();
      for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(values[i], 2 * x[i]);
      ASSERT_TRUE(a.guards_are_intact());
    }
  }
}

TEST_F(GpuProperties, BothBodiesAndEveryWidthAgree) {
  const auto x = random_numbers<float>(kMost, 1);
  const DeviceArray<float> in(x);
  for (const Body body : {Body::Vector, Body::Rolled}) {
    for (const int width : {1, 2, 4, 8, 16}) {
      for (const int vectors : {1, 2, 4}) {
        Options options;
        options.policy = {width, vectors, body};
        const Transform t = Transform::create("__device__ float f(float x) { return x * x - 1; }", options);
        const DeviceArray<float> out(random_bytes<float>(kMost, 2));
        t.execute(nullptr, in, out);
        const auto values = out.host();
        for (std::size_t i = 0; i < kMost; ++i) ASSERT_NEAR(values[i], x[i] * x[i] - 1, 1e-3f * x[i] * x[i] + 1e-5f);
        ASSERT_TRUE(out.guards_are_intact());
      }
    }
  }
}

}  // namespace
}  // namespace graft::test
