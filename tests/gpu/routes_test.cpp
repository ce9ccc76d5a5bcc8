// Tests that kernels of all routes compute the same results bit for bit (with contraction off). The tests cover odd
// element sizes, outputs by reference, state, index, in-place operation, and PTX that the driver links because
// nvJitLink is missing.
#include <cuda_fp16.h>
#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "gpu/device.hpp"
#include "support/partial_toolkit.hpp"

namespace graft::test {
namespace {

constexpr Route kRoutes[] = {Route::Lto, Route::Program, Route::Ptx, Route::Indirect};

Options exact(Route route) {
  Options options;
  options.routes.required = route;
  options.floating_point.contraction = false;
  return options;
}

// Calls `check_one(transform)` for the callback on each route, and then again, with nvJitLink hidden, on the two routes
// that work without nvJitLink.
template <class Check>
void on_every_route(const Callback& callback, Check check_one) {
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    const Transform transform = Transform::create(callback, exact(route));
    EXPECT_EQ(transform.report().kernel.route, route);
    check_one(transform);
  }
  const PartialToolkit without_linker(true, false);
  for (const Route route : {Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(fmt::format("{}, linked by the driver", name(route)));
    Engine engine({.cuda_path = without_linker.path(), .host_compiler = {}});
    const Transform transform = Transform::create(engine, callback, exact(route));
    EXPECT_EQ(transform.report().kernel.route, route);
    EXPECT_GT(transform.report().resources.registers, 0) << transform.report().linker_log;
    check_one(transform);
  }
}

constexpr std::size_t kCount = 700'001;

class GpuRoutes : public Gpu {};

TEST_F(GpuRoutes, AgreeToTheBit) {
  const auto x = random_numbers<float>(kCount, 1);
  const auto y = random_numbers<float>(kCount, 2);
  const DeviceArray<float> in_x(x, 1);
  const DeviceArray<float> in_y(y);
  std::vector<float> first;
  on_every_route("__device__ float f(float x, float y) { return sinf(x) * y + x / (y * y + 1.0f) - expf(-y * y); }",
                 [&](const Transform& transform) {
                   const DeviceArray<float> out(random_bytes<float>(kCount, 3));
                   transform.execute(nullptr, graft::inputs(in_x, in_y), out);
                   const std::vector<float> values = out.host();
                   if (first.empty()) first = values;
                   EXPECT_TRUE(same_bytes(values, first));
                   EXPECT_TRUE(out.guards_are_intact());
                 });
}

// The product and the sum of cuda_fp16.h have no rounding modifier in PTX, so the assembler of each route must be told
// not to fuse them. A fused product is rounded once, and differs in some of these elements.
TEST_F(GpuRoutes, RoundHalvesTwice) {
  struct alignas(4) Pair {
    __half low, high;
  };
  const auto pairs = [](unsigned seed) {
    std::vector<Pair> values;
    const auto numbers = random_numbers<float>(2 * kCount, seed);
    for (std::size_t i = 0; i < kCount; ++i) values.push_back({__half(numbers[2 * i]), __half(numbers[2 * i + 1])});
    return values;
  };
  const auto twice_rounded = [](__half a, __half x, __half y) {
    return __half(__half2float(__half(__half2float(a) * __half2float(x))) + __half2float(y));
  };
  const auto a = pairs(1), x = pairs(2), y = pairs(3);
  std::vector<Pair> expected;
  for (std::size_t i = 0; i < kCount; ++i)
    expected.push_back({twice_rounded(a[i].low, x[i].low, y[i].low), twice_rounded(a[i].high, x[i].high, y[i].high)});
  const DeviceArray<Pair> in_a(a), in_x(x, 1), in_y(y);
  on_every_route(
      "#include <cuda_fp16.h>\n"
      "__device__ __half2 f(__half2 a, __half2 x, __half2 y) { return __hadd2(__hmul2(a, x), y); }",
      [&](const Transform& transform) {
        const DeviceArray<Pair> out(random_bytes<Pair>(kCount, 4));
        transform.execute(nullptr, graft::inputs(in_a, in_x, in_y), out);
        EXPECT_TRUE(same_bytes(out.host(), expected));
      });
}

template <int N>
struct Bytes {
  unsigned char b[N];
};

template <int N>
void reverse_on_every_route() {
  const auto x = random_bytes<Bytes<N>>(kCount, N);
  std::vector<Bytes<N>> expected(kCount);
  for (std::size_t i = 0; i < kCount; ++i)
    for (int k = 0; k < N; ++k) expected[i].b[k] = x[i].b[N - 1 - k];
  const std::string source = fmt::format(
      "struct B {{ unsigned char b[{0}]; }};"
      "__device__ B reverse(B x) {{ B y; for (int i = 0; i < {0}; ++i) y.b[i] = x.b[{0} - 1 - i]; return y; }}",
      N);
  on_every_route(source, [&](const Transform& transform) {
    const DeviceArray<Bytes<N>> in(x, 1);
    const DeviceArray<Bytes<N>> out(random_bytes<Bytes<N>>(kCount, 3));
    transform.execute(nullptr, in, out);
    EXPECT_TRUE(same_bytes(out.host(), expected));
    EXPECT_TRUE(out.guards_are_intact());
    transform.execute(nullptr, in, in);
    EXPECT_TRUE(same_bytes(in.host(), expected));
    EXPECT_TRUE(in.guards_are_intact());
  });
}

TEST_F(GpuRoutes, MoveElementsOfOddSizes) {
  reverse_on_every_route<1>();
  reverse_on_every_route<3>();
  reverse_on_every_route<12>();
  reverse_on_every_route<32>();
}

struct Line {
  double slope;
  short offset;
};

TEST_F(GpuRoutes, TakeStateAndIndexAndWriteSeveralOutputs) {
  const auto x = random_numbers<float>(kCount, 1);
  const DeviceArray<float> in(x);
  const Line line{2.5, -7};
  on_every_route(
      "struct Line { double slope; short offset; };"
      "__device__ double f(float x, const Line& l, graft::Index i, short& s, int& untouched) {"
      "  s = l.offset; return l.slope * x + i.value; }",
      [&](const Transform& transform) {
        const DeviceArray<double> out(random_bytes<double>(kCount, 2));
        const DeviceArray<std::int16_t> offsets(random_bytes<std::int16_t>(kCount, 3));
        const DeviceArray<std::int32_t> untouched(random_bytes<std::int32_t>(kCount, 4));
        transform.execute(nullptr, in, graft::outputs(out, offsets, untouched), line);
        const auto values = out.host();
        const auto shorts = offsets.host();
        const auto zeros = untouched.host();
        for (std::size_t i = 0; i < kCount; ++i) {
          ASSERT_EQ(values[i], 2.5 * x[i] + static_cast<double>(i));
          ASSERT_EQ(shorts[i], -7);
          ASSERT_EQ(zeros[i], 0);
        }
      });
}

TEST_F(GpuRoutes, RunBakedStates) {
  const auto x = random_numbers<float>(kCount, 1);
  const DeviceArray<float> in(x);
  for (const Route route : kRoutes) {
    Options options = exact(route);
    options.bake(3.0f);
    const Transform transform =
        Transform::create("__device__ float f(float x, const float& a) { return a * x; }", options);
    const DeviceArray<float> out(random_bytes<float>(kCount, 2));
    transform.execute(nullptr, in, out);
    const auto values = out.host();
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 3.0f * x[i]);
  }
}

// The helper takes and returns a struct, reads the callback's state through a pointer, and has a __constant__ table.
constexpr const char* kHelper = R"(
struct Pair { float low, high; };
__constant__ float table[4] = {1, -2, 3, -4};
extern "C" __device__ float weigh(const float* weights, Pair pair, int at) {
  return weights[at & 1] * pair.low + table[at & 3] * pair.high;
}
namespace curves { __device__ Pair bend(Pair pair) { return {pair.high + 1, pair.low}; } }
)";
constexpr const char* kCaller = R"(
struct Pair { float low, high; };
struct Weights { float w[2]; };
extern "C" __device__ float weigh(const float* weights, Pair pair, int at);
namespace curves { __device__ Pair bend(Pair pair); }
__device__ float f(float x, float y, const Weights& weights, graft::Index i) {
  return weigh(weights.w, curves::bend({x, y}), static_cast<int>(i.value));
}
)";

TEST_F(GpuRoutes, CallFunctionsThatWereCompiledElsewhere) {
  const Architecture here = Transform::create("[](float x) { return x; }").report().kernel.architecture;
  const auto made = [&](PrecompileFormat format, Architecture architecture) {
    Options options;
    options.floating_point.contraction = false;
    return Callback(kHelper).precompile({architecture}, format, options);
  };
  const auto ptx = made(PrecompileFormat::Ptx, 75);
  struct Row {
    const char* form;
    Callback helper;
    std::vector<Route> routes;
  };
  const std::vector<Row> rows = {
      {"LTO-IR", Callback::ltoir(made(PrecompileFormat::LtoIr, 75)), {Route::Lto}},
      {"PTX",
       Callback::ptx(std::string(reinterpret_cast<const char*>(ptx.data()), ptx.size())),
       {Route::Lto, Route::Ptx, Route::Indirect}},
      {"cubin", Callback::object(made(PrecompileFormat::Cubin, here)), {Route::Lto, Route::Ptx, Route::Indirect}},
      {"fatbin", Callback::fatbin(made(PrecompileFormat::Fatbin, 75)), {Route::Lto, Route::Ptx, Route::Indirect}},
  };
  const auto x = random_numbers<float>(kCount, 1);
  const auto y = random_numbers<float>(kCount, 2);
  const DeviceArray<float> in_x(x);
  const DeviceArray<float> in_y(y, 1);
  struct Weights {
    float w[2];
  } const weights = {{0.5f, -8}};
  constexpr float kTable[] = {1, -2, 3, -4};
  for (const Row& row : rows)
    for (const Route route : row.routes) {
      SCOPED_TRACE(fmt::format("{} by {}", row.form, name(route)));
      const Transform transform = Transform::create(Callback(kCaller).with_link_input(row.helper), exact(route));
      const DeviceArray<float> out(random_bytes<float>(kCount, 3));
      transform.execute(nullptr, graft::inputs(in_x, in_y), out, weights);
      const auto values = out.host();
      for (std::size_t i = 0; i < kCount; ++i) {
        const float low = weights.w[i & 1] * (y[i] + 1);
        const float high = kTable[i & 3] * x[i];
        ASSERT_EQ(values[i], low + high) << i;
      }
      EXPECT_TRUE(out.guards_are_intact());
    }
}

TEST_F(GpuRoutes, RunFunctionsWithoutDeviceAndWithoutWarnings) {
  const auto x = random_numbers<float>(kCount, 1);
  const DeviceArray<float> in(x);
  for (const Route route : kRoutes) {
    SCOPED_TRACE(name(route));
    Options options = exact(route);
    options.entry = "f";
    options.compiler_options = {"-default-device", "--diag-suppress=177", "--extra-device-vectorization"};
    const Transform transform = Transform::create(
        "float twice(float x) { return 2 * x; }\nfloat f(float x) { int unused; return twice(x) - 1; }", options);
    EXPECT_TRUE(transform.report().compiler_log.empty()) << transform.report().compiler_log;
    const DeviceArray<float> out(random_bytes<float>(kCount, 2));
    transform.execute(nullptr, in, out);
    const auto values = out.host();
    for (std::size_t i = 0; i < kCount; ++i) ASSERT_EQ(values[i], 2 * x[i] - 1) << i;
  }
}

}  // namespace
}  // namespace graft::test
