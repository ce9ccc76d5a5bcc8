// Tests selective callbacks, which return graft::Store and so may leave elements of their outputs alone. An element
// that is left alone keeps its value, also when another kernel writes it at the same time: a kernel that read a 16-byte
// word, changed some of its elements and wrote the word back would overwrite what the other kernel wrote.
#include <fmt/format.h>

#include <cstdint>

#include "gpu/device.hpp"

namespace graft::test {
namespace {

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

Options on(Route route) {
  Options options;
  options.routes.required = route;
  return options;
}

class GpuSelective : public Gpu {};

// Elements come in three kinds of runs: all stored, all left alone, and mixed. `Seed` makes different masks.
bool is_kept(std::uint64_t i, std::uint32_t seed) {
  const std::uint64_t run = i / 512 % 3;
  const std::uint32_t hash = (static_cast<std::uint32_t>(i) + seed) * 2654435761u;
  return run == 0 || (run == 2 && (hash >> 16 & 1) != 0);
}
constexpr const char* kIsKept =
    "__device__ static bool is_kept(unsigned long long i, unsigned seed) {\n"
    "  unsigned long long run = i / 512 % 3;\n"
    "  unsigned hash = ((unsigned)i + seed) * 2654435761u;\n"
    "  return run == 0 || (run == 2 && (hash >> 16 & 1) != 0);\n}\n";

struct Rgb {
  std::uint8_t r, g, b;
};

// Three outputs of different sizes, which are differently aligned to each other if `shift` is not 0.
void check_guards(Route route, std::size_t count, std::size_t shift, const PolicyOverrides& policy = {}) {
  SCOPED_TRACE(fmt::format("{}, {} elements, arrays moved by {} elements", name(route), count, shift));
  Options options = on(route);
  options.policy = policy;
  const Transform transform = Transform::create(
      Callback(std::string(kIsKept) +
               "struct Rgb { uint8_t r, g, b; };\n"
               "__device__ graft::Store f(float x, graft::Index i, float& y, Rgb& c, double& z) {\n"
               "  y = -x; c = {1, 2, (uint8_t)i}; z = 2.0 * x; return graft::Store(is_kept(i, 7));\n}")
          .with_entry("f"),
      options);
  const auto x = random_numbers<float>(count, 1);
  auto y = random_bytes<float>(count, 2);
  auto c = random_bytes<Rgb>(count, 3);
  auto z = random_bytes<double>(count, 4);
  const DeviceArray<float> in(x, shift);
  const DeviceArray<float> out_y(y, shift);
  const DeviceArray<Rgb> out_c(c, shift);
  const DeviceArray<double> out_z(z, shift == 0 ? 0 : 1);
  transform.execute(nullptr, in, graft::outputs(out_y, out_c, out_z));
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_kept(i, 7)) continue;
    y[i] = -x[i];
    c[i] = {1, 2, static_cast<std::uint8_t>(i)};
    z[i] = 2.0 * x[i];
  }
  EXPECT_TRUE(same_bytes(out_y.host(), y));
  EXPECT_TRUE(same_bytes(out_c.host(), c));
  EXPECT_TRUE(same_bytes(out_z.host(), z));
  EXPECT_TRUE(out_y.guards_are_intact() && out_c.guards_are_intact() && out_z.guards_are_intact());
}

TEST_F(GpuSelective, ElementsThatAreLeftAloneKeepTheirBytes) {
  for (const Route route : kRoutes)
    for (const std::size_t count : {1, 31, 257, 4'097, 600'011})
      for (const std::size_t shift : {0, 1, 3}) check_guards(route, count, shift);
}

TEST_F(GpuSelective, WithEveryTuning) {
  for (const Route route : {Route::Lto, Route::Program})
    for (const int width : {1, 2, 4, 8, 16})
      for (const int vectors : {1, 2, 4})
        check_guards(route, 300'007, 1, {.vector_width = width, .vectors_per_thread = vectors, .body = Body::Vector});
  check_guards(Route::Lto, 300'007, 1, {.body = Body::Rolled});
}

TEST_F(GpuSelective, InPlace) {
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(
        "__device__ graft::Store f(float x, float& y) { y = 0; return graft::Store(x < 0); }", on(route));
    auto x = random_numbers<float>(600'011, 1);
    const DeviceArray<float> array(x, 1);
    transform.execute(nullptr, array, array);
    for (float& value : x) value = value < 0 ? 0 : value;
    EXPECT_TRUE(same_bytes(array.host(), x));
    EXPECT_TRUE(array.guards_are_intact());
  }
}

TEST_F(GpuSelective, AtTheEndOfAChainAndBeforeAStoreCallback) {
  const Callback keep = "__device__ graft::Store keep(float x, float& y) { y = x; return graft::Store(x > 0); }";
  const Callback store =
      "__device__ void store(void* data, unsigned long long offset, float element, void*, void*) {\n"
      "  static_cast<float*>(data)[offset] = element + 1;\n}";
  const auto x = random_numbers<float>(300'007, 1);
  const auto before = random_bytes<float>(x.size(), 2);
  const DeviceArray<float> in(x);
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    std::vector<float> expected = before;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] > 0) expected[i] = 3 * x[i];
    const DeviceArray<float> chained(before, 1);
    Transform::create(chain("__device__ float gain(float x) { return 3 * x; }", keep), on(route))
        .execute(nullptr, in, chained);
    EXPECT_TRUE(same_bytes(chained.host(), expected));
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] > 0) expected[i] = x[i] + 1;
    const DeviceArray<float> staged(before, 1);
    Transform::create(Stages{.op = keep, .store = store}, on(route)).execute(nullptr, in, staged);
    EXPECT_TRUE(same_bytes(staged.host(), expected));
  }
}

// Two kernels write to the same array at the same time, each to the elements that the other leaves alone. Afterwards,
// every element has the value of the last launch of the kernel that writes it.
template <class T>
void check_two_writers(Route route) {
  SCOPED_TRACE(fmt::format("{}, {} bytes", name(route), sizeof(T)));
  constexpr std::size_t kCount = 1'000'003;
  constexpr int kRounds = 50;
  const auto writer = [&](bool kept) {
    return Transform::create(
        Callback(fmt::format("{}__device__ graft::Store f(graft::Index i, {} & y, const int& round) {{\n"
                             "  y = round + i; return graft::Store(is_kept(i, 7) == {});\n}}",
                             kIsKept,
                             sizeof(T) == 1   ? "unsigned char"
                             : sizeof(T) == 4 ? "unsigned"
                                              : "uint64_t",
                             kept))
            .with_entry("f"),
        on(route));
  };
  const Transform first = writer(true);
  const Transform second = writer(false);
  const DeviceArray<T> array(random_bytes<T>(kCount, 1), 1);
  cudaStream_t streams[2] = {};
  for (cudaStream_t& stream : streams) check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  check(cudaDeviceSynchronize());
  for (int round = 0; round < kRounds; ++round) {
    first.execute(streams[0], graft::inputs(), array, round);
    second.execute(streams[1], graft::inputs(), array, round + 1000);
  }
  for (cudaStream_t stream : streams) {
    check(cudaStreamSynchronize(stream));
    check(cudaStreamDestroy(stream));
  }
  const std::vector<T> values = array.host();
  for (std::size_t i = 0; i < kCount; ++i)
    ASSERT_EQ(values[i], static_cast<T>(kRounds - 1 + (is_kept(i, 7) ? 0 : 1000) + i)) << i;
  EXPECT_TRUE(array.guards_are_intact());
}

TEST_F(GpuSelective, AnotherKernelMayWriteWhatIsLeftAlone) {
  for (const Route route : kRoutes) {
    check_two_writers<std::uint8_t>(route);
    check_two_writers<std::uint32_t>(route);
    check_two_writers<std::uint64_t>(route);
  }
}

}  // namespace
}  // namespace graft::test
