// Tests views on the GPU: what execute computes for arrays of any shape, on every route that has a kernel for them, and
// that calls with views are captured and described like others.
#include <gmock/gmock.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "gpu/device.hpp"
#include "support/random_views.hpp"

namespace graft::test {
namespace {

class GpuViews : public Gpu {};

Options any_shape(Route route = Route::Lto) {
  return {.any_shape = true, .routes = {.required = route}};
}

template <class T>
std::vector<T> numbers(std::int64_t count, std::mt19937& random) {
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(random() % 1000);
  return values;
}

struct Mixed {
  unsigned char r, g, b;
};

// An input of three bytes and one of eight, an index, a state, and outputs of two sizes.
constexpr const char* kMixed = R"(
    struct Rgb { unsigned char r, g, b; };
    struct Scale { double a; int b; };
    __device__ double mixed(Rgb c, double x, const Scale& s, graft::Index i, short& y) {
      y = (short)(c.r + 2 * c.g - c.b + s.b);
      return s.a * x + (double)i.value;
    }
)";
struct Scale {
  double a;
  int b;
};

TEST_F(GpuViews, OfRandomShapesGiveTheBytesOfALoop) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    SCOPED_TRACE(name(route));
    const Transform mixed = Transform::create(kMixed, any_shape(route));
    std::mt19937 random(20261127);
    for (int round = 0; round < 300; ++round) {
      const Extents call = random_shape(random, 10, 3000);
      const RandomView c = random_view(call, false, random), x = random_view(call, false, random);
      const RandomView d = random_view(call, true, random), y = random_view(call, true, random);
      std::vector<Mixed> of_c(static_cast<std::size_t>(c.memory));
      for (Mixed& one : of_c)
        one = {static_cast<unsigned char>(random()), static_cast<unsigned char>(random()),
               static_cast<unsigned char>(random())};
      const std::vector<double> of_x = numbers<double>(x.memory, random), before_d = numbers<double>(d.memory, random);
      const std::vector<short> before_y = numbers<short>(y.memory, random);
      const DeviceArray<Mixed> on_c(of_c);
      const DeviceArray<double> on_x(of_x), on_d(before_d);
      const DeviceArray<short> on_y(before_y, random() % 3);
      const Scale scale = {0.5, 7};
      std::vector<double> expected_d = before_d;
      std::vector<short> expected_y = before_y;
      for_each_element(call, [&](std::int64_t index, const Extents& place) {
        const Mixed& p = of_c[static_cast<std::size_t>(c.at(place))];
        expected_y[static_cast<std::size_t>(y.at(place))] = static_cast<short>(p.r + 2 * p.g - p.b + scale.b);
        expected_d[static_cast<std::size_t>(d.at(place))] =
            scale.a * of_x[static_cast<std::size_t>(x.at(place))] + static_cast<double>(index);
      });
      mixed.execute(nullptr, {c.ref(on_c.data(), element_type<Mixed>()), x.ref(on_x.data(), element_type<double>())},
                    {d.ref(on_d.data(), element_type<double>()), y.ref(on_y.data(), element_type<short>())}, scale);
      ASSERT_EQ(on_d.host(), expected_d) << "round " << round;
      ASSERT_EQ(on_y.host(), expected_y) << "round " << round;
    }
  }
}

// Rows of four bytes and of one, which repeat, have gaps and begin at any address.
TEST_F(GpuViews, RowsOfEveryAlignmentGiveTheBytesOfALoop) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    SCOPED_TRACE(name(route));
    const Transform f = Transform::create(
        "__device__ float f(float a, unsigned char b, graft::Index i) { return a - b + (float)i.value; }",
        any_shape(route));
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
      Extents call = random_shape(random, 4, 100);
      if (call.empty()) continue;
      call.back() = 1 + static_cast<std::int64_t>(random() % 200);
      const RandomView a = random_view(call, false, random), b = random_view(call, false, random);
      const RandomView out = random_view(call, true, random);
      const auto of_a = numbers<float>(a.memory, random);
      const auto of_b = numbers<unsigned char>(b.memory, random);
      std::vector<float> expected = numbers<float>(out.memory, random);
      const DeviceArray<float> on_a(of_a, random() % 4), results(expected, random() % 4);
      const DeviceArray<unsigned char> on_b(of_b, random() % 16);
      for_each_element(call, [&](std::int64_t index, const Extents& place) {
        expected[static_cast<std::size_t>(out.at(place))] = of_a[static_cast<std::size_t>(a.at(place))] -
                                                            of_b[static_cast<std::size_t>(b.at(place))] +
                                                            static_cast<float>(index);
      });
      f.execute(nullptr, {a.ref(on_a.data(), element_type<float>()), b.ref(on_b.data(), element_type<unsigned char>())},
                {out.ref(results.data(), element_type<float>())});
      ASSERT_EQ(results.host(), expected) << "round " << round;
      ASSERT_TRUE(results.guards_are_intact()) << "round " << round;
    }
  }
}

// A dense array whose dimensions lie in memory in this order, the innermost first.
RandomView in_order(const Extents& call, const std::vector<std::size_t>& order) {
  RandomView view{call, Extents(call.size())};
  std::int64_t stride = 1;
  for (const std::size_t d : order) {
    view.strides[d] = stride;
    stride *= call[d];
  }
  view.memory = stride;
  return view;
}

// Inputs of each size lie crosswise, alone and together, at any address.
template <class T>
void transpose(const char* type, Route route, std::mt19937& random) {
  const std::string name = type;
  Transform f = Transform::create("__device__ " + name + " f(" + name + " a, " + name +
                                      " b, graft::Index i) { return a + b + (" + name + ")(i.value % 7); }",
                                  {.routes = {.required = route}});
  for (int round = 0; round < 24; ++round) {
    const auto extent = [&] { return 16 + static_cast<std::int64_t>(random() % 300); };
    const Extents call = {3, extent(), 2, extent()};
    const RandomView out = in_order(call, {3, 2, 1, 0});
    const RandomView a =
        in_order(call, round % 2 == 0 ? std::vector<std::size_t>{1, 2, 3, 0} : std::vector<std::size_t>{1, 0, 3, 2});
    const RandomView b = round % 3 == 0 ? a : out;
    const auto of_a = numbers<T>(a.memory, random), of_b = numbers<T>(b.memory, random);
    std::vector<T> expected(of_a.size());
    const DeviceArray<T> on_a(of_a, random() % 4), on_b(of_b, random() % 4), results(expected, random() % 4);
    for_each_element(call, [&](std::int64_t index, const Extents& place) {
      expected[static_cast<std::size_t>(out.at(place))] =
          static_cast<T>(of_a[static_cast<std::size_t>(a.at(place))] + of_b[static_cast<std::size_t>(b.at(place))] +
                         static_cast<T>(index % 7));
    });
    const auto of = [](const RandomView& view, const DeviceArray<T>& memory) {
      return view.ref(memory.data(), element_type<T>());
    };
    f.prepare_shapes({of(a, on_a), of(b, on_b)}, {of(out, results)});
    f.execute(nullptr, {of(a, on_a), of(b, on_b)}, {of(out, results)});
    ASSERT_EQ(results.host(), expected) << type << ", round " << round;
    ASSERT_TRUE(results.guards_are_intact()) << type << ", round " << round;
  }
}

TEST_F(GpuViews, TransposedInputsGiveTheBytesOfALoop) {
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx}) {
    SCOPED_TRACE(name(route));
    std::mt19937 random(11);
    transpose<unsigned char>("unsigned char", route, random);
    transpose<short>("short", route, random);
    transpose<float>("float", route, random);
    transpose<double>("double", route, random);
  }
}

TEST_F(GpuViews, PrepareShapesMakesTheKernelForThem) {
  Transform twice = Transform::create("__device__ float twice(float x) { return 2 * x; }");
  std::vector<float> values(32 * 48);
  std::iota(values.begin(), values.end(), 0.0f);
  const DeviceArray<float> a(values), out(std::vector<float>(values.size()));
  const auto in = view(a.data(), {32, 48}, {1, 32});
  const auto to = view(out.data(), {32, 48});
  EXPECT_EQ(error_of([&] { twice.execute(nullptr, in, to); }).code(), ErrorCode::NotPrepared);
  EXPECT_EQ(twice.describe_shapes(in, to),
            "rank 2: input 0 strided, output 0 contiguous; no kernel serves it; the kernel transposed 1 would be "
            "fastest (prepare_shapes)");
  const float* const nowhere = nullptr;
  float* const also_nowhere = nullptr;
  twice.prepare_shapes(view(nowhere, {100, 100}, {1, 100}), view(also_nowhere, {100, 100}));
  twice.execute(nullptr, in, to);
  for (std::size_t row = 0; row < 32; ++row)
    for (std::size_t column = 0; column < 48; ++column)
      ASSERT_EQ(out.host()[row * 48 + column], 2 * values[column * 32 + row]);
  EXPECT_EQ(twice.describe_shapes(in, to),
            "rank 2: input 0 strided, output 0 contiguous; served by the kernel transposed 1");
  // Rows that are shorter than a tile are another kernel's.
  const auto pitched = view(a.data(), {4, 40}, {48, 1});
  const auto rows = view(out.data(), {4, 40});
  EXPECT_EQ(error_of([&] { twice.execute(nullptr, pitched, rows); }).code(), ErrorCode::NotPrepared);
  twice.prepare_shapes(pitched, rows);
  twice.execute(nullptr, pitched, rows);
  EXPECT_EQ(out.host()[41], 2 * values[49]);
  EXPECT_EQ(error_of([&] { twice.prepare_shapes(view(nowhere, {3, 2}), rows); }).code(), ErrorCode::CountMismatch);
}

TEST_F(GpuViews, ExamplesInOptionsMakeTheirKernels) {
  const float* const nowhere = nullptr;
  float* const also_nowhere = nullptr;
  Options options;
  options.shapes.emplace_back(view(nowhere, {64, 64}, {1, 64}), view(also_nowhere, {64, 64}));
  options.shapes.emplace_back(view(nowhere, {7, 9}, {20, 1}), view(also_nowhere, {7, 9}));
  const Transform thrice = Transform::create("__device__ float thrice(float x) { return 3 * x; }", options);
  std::vector<float> values(32 * 48);
  std::iota(values.begin(), values.end(), 0.0f);
  const DeviceArray<float> a(values), out(std::vector<float>(values.size()));
  ASSERT_EQ(thrice.reports().size(), 3u);
  EXPECT_EQ(thrice.reports()[1].policy_reason, "for arrays of any shape: transposed 1");
  thrice.execute(nullptr, view(a.data(), {32, 48}, {1, 32}), view(out.data(), {32, 48}));
  EXPECT_EQ(out.host()[48 + 2], 3 * values[2 * 32 + 1]);
  thrice.execute(nullptr, view(a.data(), {4, 40}, {48, 1}), view(out.data(), {4, 40}));
  EXPECT_EQ(out.host()[41], 3 * values[49]);
  // The index tells these rows from one dimension, which nobody knew before the signature.
  Options columns;
  columns.shapes.emplace_back(view(nowhere, {8, 8}, {1, 8}), view(also_nowhere, {8, 8}, {1, 8}));
  const Transform add = Transform::create("__device__ float add(float x, graft::Index i) { return x + i; }", columns);
  add.execute(nullptr, view(a.data(), {2, 3}, {1, 2}), view(out.data(), {2, 3}, {1, 2}));
  std::vector<float> sums = out.host();
  sums.resize(6);
  EXPECT_THAT(sums, testing::ElementsAre(0, 1 + 3, 2 + 1, 3 + 4, 4 + 2, 5 + 5));
}

TEST_F(GpuViews, PositionIsThatInTheShapeOfTheCall) {
  const char* const source =
      "__device__ unsigned place(unsigned x, graft::Position<3> p) {\n"
      "  return x + 1000000 * p[0] + 1000 * p[1] + p[2];\n"
      "}";
  const std::size_t count = 3 * 5 * 40 * 70;
  const DeviceArray<unsigned> a{std::vector<unsigned>(count)}, out{std::vector<unsigned>(count)};
  const auto expect = [&](const std::int64_t* strides) {
    const std::vector<unsigned> got = out.host();
    for (unsigned n = 0, b = 0; b < 3; ++b)
      for (unsigned c = 0; c < 5; ++c)
        for (unsigned d = 0; d < 40; ++d)
          for (unsigned e = 0; e < 70; ++e, ++n) {
            const std::size_t at =
                strides == nullptr
                    ? n
                    : static_cast<std::size_t>(b * strides[0] + c * strides[1] + d * strides[2] + e * strides[3]);
            ASSERT_EQ(got[at], 1000000 * c + 1000 * d + e) << b;
          }
  };
  for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect}) {
    SCOPED_TRACE(name(route));
    Options options;
    options.routes.required = route;
    options.any_shape = route != Route::Indirect;
    Transform place = Transform::create(source, options);
    const auto dense = view(a.data(), {3, 5, 40, 70});
    place.execute(nullptr, dense, view(out.data(), {3, 5, 40, 70}));
    expect(nullptr);
    place.execute(nullptr, a, out);
    EXPECT_EQ(out.host()[777], 777u);
    if (route == Route::Indirect) continue;
    const std::int64_t turned[] = {1, 3 * 70, 3 * 70 * 5, 3};
    place.execute(nullptr, dense, view(out.data(), std::array<std::int64_t, 4>{3, 5, 40, 70}, turned));
    expect(turned);
    const auto crosswise = view(a.data(), {3, 5, 40, 70}, {14000, 2800, 1, 40});
    place.prepare_shapes(crosswise, view(out.data(), {3, 5, 40, 70}));
    place.execute(nullptr, crosswise, view(out.data(), {3, 5, 40, 70}));
    expect(nullptr);
  }
}

TEST_F(GpuViews, ServeCallbacksOfEveryForm) {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  const DeviceArray<float> a(values), out(std::vector<float>(6, -1));
  const auto columns = [](const DeviceArray<float>& array) { return view(array.data(), {2, 3}, {1, 2}); };
  const auto rows = [](const DeviceArray<float>& array) { return view(array.data(), {2, 3}); };
  const Transform odd = Transform::create(
      "__device__ graft::Store odd(float a, float& x) { x = a; return graft::Store{(int)a % 2 == 1}; }", any_shape());
  odd.execute(nullptr, rows(a), columns(out));
  EXPECT_THAT(out.host(), testing::ElementsAre(-1, 3, 1, -1, -1, 5));
  const Transform add =
      Transform::create("__device__ void add(graft::InOut<float> x, float a) { x += a; }", any_shape());
  const DeviceArray<float> sums(values);
  add.execute(nullptr, columns(a), rows(sums));
  EXPECT_THAT(sums.host(), testing::ElementsAre(0, 3, 6, 4, 7, 10));
  const Transform chained = Transform::create(
      chain({"__device__ float twice(float x) { return 2 * x; }", "__device__ float next(float x) { return x + 1; }"}),
      any_shape());
  chained.execute(nullptr, columns(a), rows(out));
  EXPECT_THAT(out.host(), testing::ElementsAre(1, 5, 9, 3, 7, 11));
  const Transform loaded = Transform::create(
      Stages{.load = Callback("__device__ float load(void* p, unsigned long long at, void*, void*) { return "
                              "static_cast<const float*>(p)[at]; }"),
             .op = Callback("__device__ float twice(float x) { return 2 * x; }")},
      any_shape());
  loaded.execute(nullptr, a, columns(out));
  EXPECT_THAT(out.host(), testing::ElementsAre(0, 6, 2, 8, 4, 10));
}

TEST_F(GpuViews, WithoutAnyShapeMustLieInMemoryLikeOneDimension) {
  // Equal transforms share their kernels, so no other test may prepare this one.
  const Transform twice = Transform::create("__device__ float twice_alone(float x) { return 2 * x; }");
  const DeviceArray<float> a(std::vector<float>{0, 1, 2, 3, 4, 5}), out(std::vector<float>(6, -1));
  twice.execute(nullptr, view(a.data(), {2, 3}, {1, 2}), view(out.data(), {2, 3}, {1, 2}));
  EXPECT_THAT(out.host(), testing::ElementsAre(0, 2, 4, 6, 8, 10));
  const Error error = error_of([&] {
    twice.execute(nullptr, view(a.data(), {2, 3}), view(out.data(), {2, 3}, {1, 2}));
  });
  EXPECT_EQ(error.code(), ErrorCode::NotPrepared);
  EXPECT_THAT(error.remedy(),
              testing::AllOf(testing::HasSubstr("prepare_shapes"), testing::HasSubstr("Options::any_shape")));
}

// Each kernel of the transform has the variable, and nobody could say which one is meant.
TEST_F(GpuViews, VariablesOfSeveralKernelsAreNoSymbol) {
  const char* const counting =
      "__device__ unsigned hits; __device__ float f(float x) { atomicAdd(&hits, 1u); return x; }";
  EXPECT_EQ(Transform::create(counting).symbol("hits").bytes, 4u);
  const Transform several = Transform::create(counting, any_shape());
  const Error error = error_of([&] { several.symbol("hits"); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), testing::HasSubstr("each has a variable `hits` of its own"));
}

// Their kernel calls the pack's callback through a pointer, and serves every shape.
TEST_F(GpuViews, PacksHaveAKernelForEveryShape) {
  std::mt19937 random(13);
  struct State {
    float scale;
  };
  const Callback pack = Callback::pack(
      Callback("struct S { float scale; }; __device__ void f(float x, unsigned char b, const S& s, graft::Index i, "
               "graft::Position<2> p, float& y, double& z) { y = s.scale * x + b; z = i + 1000.0 * p[0] + p[1]; }")
          .precompile({Architecture(75)}));
  const Transform f = Transform::create(pack, {.any_shape = true});
  EXPECT_EQ(f.reports().at(1).kernel.route, Route::Indirect);
  for (int round = 0; round < 40; ++round) {
    Extents call = random_shape(random, 5, 4000);
    while (call.size() < 2) call.insert(call.begin(), 1);
    const RandomView x = random_view(call, false, random), b = random_view(call, false, random),
                     y = random_view(call, true, random), z = random_view(call, true, random);
    std::vector<float> xs(static_cast<std::size_t>(x.memory)), ys(static_cast<std::size_t>(y.memory), -1);
    std::vector<unsigned char> bs(static_cast<std::size_t>(b.memory));
    std::vector<double> zs(static_cast<std::size_t>(z.memory), -1);
    for (float& value : xs) value = static_cast<float>(random() % 100);
    for (unsigned char& value : bs) value = static_cast<unsigned char>(random());
    const DeviceArray<float> on_x(xs), on_y(ys);
    const DeviceArray<unsigned char> on_b(bs);
    const DeviceArray<double> on_z(zs);
    f.execute(nullptr, {x.ref(on_x.data(), element_type<float>()), b.ref(on_b.data(), element_type<unsigned char>())},
              {y.ref(on_y.data(), element_type<float>()), z.ref(on_z.data(), element_type<double>())}, State{3});
    for_each_element(call, [&](std::int64_t index, const Extents& place) {
      ys[static_cast<std::size_t>(y.at(place))] =
          3 * xs[static_cast<std::size_t>(x.at(place))] + bs[static_cast<std::size_t>(b.at(place))];
      zs[static_cast<std::size_t>(z.at(place))] = static_cast<double>(index) +
                                                  1000.0 * static_cast<double>(place[place.size() - 2]) +
                                                  static_cast<double>(place.back());
    });
    ASSERT_EQ(on_y.host(), ys);
    ASSERT_EQ(on_z.host(), zs);
  }
  const DeviceArray<float> a(std::vector<float>(20 * 20)), out(std::vector<float>(20 * 20));
  Transform copied =
      Transform::create(Callback::pack(Callback("[](float v) { return v; }").precompile({Architecture(75)})));
  copied.prepare_shapes(view(a.data(), {20, 20}, {1, 20}), view(out.data(), {20, 20}));
  copied.execute(nullptr, view(a.data(), {20, 20}, {1, 20}), view(out.data(), {20, 20}));
  EXPECT_EQ(copied.describe_shapes(view(a.data(), {20, 20}, {1, 20}), view(out.data(), {20, 20})),
            "rank 2: input 0 strided, output 0 contiguous; served by the kernel strided");
  Options options;
  options.shapes.emplace_back(view(a.data(), {20, 20}, {1, 20}), view(out.data(), {20, 20}));
  const Transform made = Transform::create(
      Callback::pack(Callback("[](float v) { return 2 * v; }").precompile({Architecture(75)})), options);
  EXPECT_EQ(made.reports().at(1).kernel.route, Route::Indirect);
}

TEST_F(GpuViews, AreCapturedAndDescribedLikeOtherCalls) {
  const Transform twice = Transform::create("__device__ float twice(float x) { return 2 * x; }", any_shape());
  const DeviceArray<float> a(std::vector<float>{0, 1, 2, 3, 4, 5}), out(std::vector<float>(6, -1));
  const auto in = view(a.data(), {2, 3});
  const auto to = view(out.data(), {2, 3}, {1, 2});
  cudaStream_t stream;
  check(cudaStreamCreate(&stream));
  check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  twice.execute(stream, in, to);
  cudaGraph_t graph;
  check(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t ready;
  check(cudaGraphInstantiate(&ready, graph, 0));
  check(cudaGraphLaunch(ready, stream));
  check(cudaStreamSynchronize(stream));
  EXPECT_THAT(out.host(), testing::ElementsAre(0, 6, 2, 8, 4, 10));
  check(cudaGraphExecDestroy(ready));
  check(cudaGraphDestroy(graph));
  check(cudaStreamDestroy(stream));
  EXPECT_EQ(twice.launch_parameters(in, to)->grid, 1u);
}

// More elements than 32 bits count, of which an input repeats.
TEST_F(GpuViews, OfMoreThan32BitsReachEveryElement) {
  constexpr std::int64_t kRows = 3, kColumns = 1'500'000'000;
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total));
  if (free < 6'000'000'000ull) GTEST_SKIP() << "the GPU has too little memory";
  const Transform plus = Transform::create(
      "__device__ unsigned char plus(unsigned char a, unsigned char b, graft::Index i) { return a + b + (i.value >> "
      "31); }",
      any_shape());
  unsigned char* out = nullptr;
  check(cudaMalloc(&out, kRows * (kColumns + 1)));
  check(cudaMemset(out, 0, kRows * (kColumns + 1)));
  const DeviceArray<unsigned char> rows(std::vector<unsigned char>{10, 20, 30}), one(std::vector<unsigned char>{1});
  plus.execute(nullptr, inputs(view(rows.data(), {kRows, 1}), view(one.data())),
               view(out, {kRows, kColumns}, {kColumns + 1, 1}));
  std::vector<unsigned char> row(kColumns + 1);
  for (std::int64_t r = 0; r < kRows; ++r) {
    check(cudaMemcpy(row.data(), out + r * (kColumns + 1), row.size(), cudaMemcpyDeviceToHost));
    std::int64_t wrong = 0;
    for (std::int64_t c = 0; c < kColumns; ++c)
      wrong += row[static_cast<std::size_t>(c)] == 10 * (r + 1) + 1 + ((r * kColumns + c) >> 31) ? 0 : 1;
    EXPECT_EQ(wrong, 0) << "row " << r;
    EXPECT_EQ(row.back(), 0);
  }
  check(cudaFree(out));
}

}  // namespace
}  // namespace graft::test
