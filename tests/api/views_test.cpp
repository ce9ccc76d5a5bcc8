// Tests views (graft/view.hpp) through the public interface, on the host route: what execute computes for arrays of any
// shape, beside loops over the indices of the call, and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "graft/graft.hpp"
#include "support/errors.hpp"
#include "support/random_views.hpp"

namespace graft::test {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

Transform on_host(const Callback& callback) {
  return Transform::create(callback, {.routes = {.required = Route::Host}});
}

const Transform& sum() {
  static const Transform transform = on_host("__device__ float sum(float a, float b) { return a + b; }");
  return transform;
}

const Transform& twice() {
  static const Transform transform = on_host("__device__ float twice(float x) { return 2 * x; }");
  return transform;
}

std::vector<float> counted(std::size_t count) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}

TEST(Views, RepeatRowsColumnsAndScalars) {
  const std::vector<float> a = counted(6), row = {100, 200, 300}, column = {1000, 2000}, one = {5};
  std::vector<float> out(6);
  const auto all = view(out.data(), {2, 3});
  sum().execute(host, inputs(view(a.data(), {2, 3}), row), all);  // an array that is no view has one dimension
  EXPECT_THAT(out, ElementsAre(100, 201, 302, 103, 204, 305));
  sum().execute(host, inputs(view(column.data(), {2, 1}), view(row.data(), {3})), all);
  EXPECT_THAT(out, ElementsAre(1100, 1200, 1300, 2100, 2200, 2300));
  sum().execute(host, inputs(view(a.data(), {2, 3}), view(one.data())), all);
  EXPECT_THAT(out, ElementsAre(5, 6, 7, 8, 9, 10));
  sum().execute(host, inputs(view(one.data()), view(one.data())), view(out.data()));
  EXPECT_EQ(out[0], 10);
}

TEST(Views, MayHaveAnyStrides) {
  const std::vector<float> a = counted(12);
  std::vector<float> out(12, -1);
  twice().execute(host, permuted(view(a.data(), {3, 4}), 1, 0), view(out.data(), {4, 3}));
  EXPECT_THAT(out, ElementsAre(0, 8, 16, 2, 10, 18, 4, 12, 20, 6, 14, 22));
  twice().execute(host, view(a.data() + 11, {12}, {-1}), view(out.data(), {12}));
  EXPECT_EQ(out[0], 22);
  EXPECT_EQ(out[11], 0);
  std::vector<float> gaps(12, -1);
  twice().execute(host, view(a.data(), {2, 3}, {6, 2}), view(gaps.data(), {2, 3}, {4, 1}));
  EXPECT_THAT(gaps, ElementsAre(0, 4, 8, -1, 12, 16, 20, -1, -1, -1, -1, -1));
}

TEST(Views, IndexIsRowMajorInTheShapeOfTheCall) {
  const Transform index = on_host("__device__ int64_t index(graft::Index i) { return i; }");
  std::vector<std::int64_t> out(6, -1);
  index.execute(host, inputs(), view(out.data(), {2, 3}, {1, 2}));  // column-major
  EXPECT_THAT(out, ElementsAre(0, 3, 1, 4, 2, 5));
  index.execute(host, inputs(), view(out.data() + 5, {2, 3}, {-3, -1}));
  EXPECT_THAT(out, ElementsAre(5, 4, 3, 2, 1, 0));
}

// Each element's last three coordinates, as digits.
TEST(Views, PositionIsThatInTheShapeOfTheCall) {
  const Transform digits = on_host(
      "__device__ int digits(float, graft::Position<3> p, graft::Index i) {\n"
      "  return (int)i.value * 1000 + p[0] * 100 + p[1] * 10 + p[2];\n"
      "}");
  const std::vector<float> a = counted(24);
  std::vector<int> out(24, -1);
  digits.execute(host, view(a.data(), {4}), view(out.data(), {4}));
  EXPECT_THAT(std::span(out).first(4), ElementsAre(0, 1001, 2002, 3003));
  digits.execute(host, std::span(a).first(3), std::span(out).first(3));  // no views
  EXPECT_THAT(std::span(out).first(3), ElementsAre(0, 1001, 2002));
  digits.execute(host, view(a.data()), view(out.data()));
  EXPECT_EQ(out[0], 0);
  for (const bool is_turned : {false, true}) {
    const auto to = view(out.data(), {2, 3, 2, 2}, {12, is_turned ? 1 : 4, is_turned ? 6 : 2, is_turned ? 3 : 1});
    digits.execute(host, view(a.data(), {2, 3, 2, 2}), to);
    for (int i = 0, b = 0; b < 2; ++b)
      for (int c = 0; c < 3; ++c)
        for (int d = 0; d < 2; ++d)
          for (int e = 0; e < 2; ++e, ++i) {
            const auto at =
                static_cast<std::size_t>(b * to.strides[0] + c * to.strides[1] + d * to.strides[2] + e * to.strides[3]);
            ASSERT_EQ(out[at], i * 1000 + c * 100 + d * 10 + e);
          }
  }
  // The shape is that of the outputs, also if an input repeats.
  digits.execute(host, view(a.data(), {1}), view(out.data(), {3, 2}));
  EXPECT_THAT(std::span(out).first(6), ElementsAre(0, 1001, 2010, 3011, 4020, 5021));
}

TEST(Views, PositionsInAChainAreThoseOfTheCall) {
  const Transform chained =
      on_host(chain({"__device__ float row(float x, graft::Position<2> p) { return x + 10 * p[0]; }",
                     "__device__ float column(float x, graft::Position<1> p, const float& s) "
                     "{ return x + s * p[0]; }"}));
  EXPECT_EQ(chained.signature().coordinates(), 2u);
  const std::vector<float> a(6);
  std::vector<float> out(6);
  chained.execute(host, view(a.data(), {2, 3}), view(out.data(), {2, 3}), 0.5f);
  EXPECT_THAT(out, ElementsAre(0, 0.5f, 1, 10, 10.5f, 11));
}

TEST(Views, ExamplesInOptionsAreChecked) {
  const float* const nothing = nullptr;
  float* const out = nullptr;
  Options options{.routes = {.required = Route::Host}};
  options.shapes.emplace_back(view(nothing, {64, 48}, {1, 64}), view(out, {64, 48}));
  const char* const source = "__device__ float thrice(float x) { return 3 * x; }";
  EXPECT_NO_THROW(Transform::create(source, options));
  options.shapes.emplace_back(view(nothing, {64, 47}), view(out, {64, 48}));
  EXPECT_EQ(error_of([&] { Transform::create(source, options); }).code(), ErrorCode::CountMismatch);
  options.shapes.pop_back();
  options.shapes.emplace_back(inputs(view(nothing, {48}), view(nothing, {48})), view(out, {64, 48}));
  EXPECT_EQ(error_of([&] { Transform::create(source, options); }).code(), ErrorCode::CountMismatch);
}

TEST(Views, ServeCallbacksOfEveryForm) {
  const std::vector<float> a = counted(6);
  const auto columns = [](auto* pointer) { return view(pointer, {2, 3}, {1, 2}); };
  std::vector<float> x(6), y(6);
  // Several outputs and a state.
  const Transform both = on_host(
      "struct S { float k; };\n"
      "__device__ void both(float a, const S& s, float& x, float& y) { x = a + s.k; y = a * s.k; }");
  struct S {
    float k;
  };
  both.execute(host, view(a.data(), {2, 3}), outputs(columns(x.data()), view(y.data(), {2, 3})), S{10});
  EXPECT_THAT(x, ElementsAre(10, 13, 11, 14, 12, 15));
  EXPECT_THAT(y, ElementsAre(0, 10, 20, 30, 40, 50));
  // In place, with an input of another order.
  const Transform add = on_host("__device__ void add(graft::InOut<float> x, float a) { x += a; }");
  std::vector<float> sums = counted(6);
  add.execute(host, columns(a.data()), view(sums.data(), {2, 3}));
  EXPECT_THAT(sums, ElementsAre(0, 3, 6, 4, 7, 10));
  // Selective.
  const Transform odd =
      on_host("__device__ graft::Store odd(float a, float& x) { x = a; return graft::Store{(int)a % 2 == 1}; }");
  std::vector<float> some(6, -1);
  odd.execute(host, view(a.data(), {2, 3}), columns(some.data()));
  EXPECT_THAT(some, ElementsAre(-1, 3, 1, -1, -1, 5));
  // A chain, complex numbers, and a struct of three bytes.
  const Transform chained = on_host(
      chain({"__device__ float twice(float x) { return 2 * x; }", "__device__ float next(float x) { return x + 1; }"}));
  chained.execute(host, columns(a.data()), view(x.data(), {2, 3}));
  EXPECT_THAT(x, ElementsAre(1, 5, 9, 3, 7, 11));
  const Transform conjugate =
      on_host("__device__ graft::complex<double> c(graft::complex<double> z) { return {z.real(), -z.imag()}; }");
  const std::vector<std::complex<double>> z = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
  std::vector<std::complex<double>> w(4);
  conjugate.execute(host, permuted(view(z.data(), {2, 2}), 1, 0), view(w.data(), {2, 2}));
  EXPECT_EQ(w[1], std::complex<double>(5, -6));
  struct Rgb {
    std::uint8_t r, g, b;
  };
  const Transform swapped =
      on_host("struct Rgb { unsigned char r, g, b; };\n__device__ Rgb swap(Rgb c) { return {c.b, c.g, c.r}; }");
  const std::vector<Rgb> pixels = {{1, 2, 3}, {4, 5, 6}};
  std::vector<Rgb> flipped(2);
  swapped.execute(host, view(pixels.data() + 1, {2}, {-1}), flipped);
  EXPECT_EQ(flipped[0].r, 6);
  EXPECT_EQ(flipped[1].b, 1);
}

// A load callback gets the array's pointer, and the row-major index as its offset.
TEST(Views, StandBesideArraysOfLoadCallbacks) {
  const Transform loaded =
      on_host(Stages{.load = Callback("__device__ float load(void* p, unsigned long long at, void*, void*) { return "
                                      "static_cast<const float*>(p)[at]; }"),
                     .op = Callback("__device__ float twice(float x) { return 2 * x; }")});
  const std::vector<float> a = counted(6);
  std::vector<float> out(6);
  loaded.execute(host, a, view(out.data(), {2, 3}, {1, 2}));
  EXPECT_THAT(out, ElementsAre(0, 6, 2, 8, 4, 10));
  const Error error = error_of([&] { loaded.execute(host, view(a.data(), {2, 3}), view(out.data(), {2, 3})); });
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_THAT(error.message(), HasSubstr("load or store callback reaches this array itself"));
}

// ---- where views come from ----

struct Mdspan {
  static constexpr std::size_t rank() { return 2; }
  long extent(int) const { return 2; }
  long stride(int d) const { return d == 0 ? 1 : 2; }
  const float* data_handle() const { return data; }
  const float* data;
};

struct Tensor {  // the members of DLTensor
  void* data;
  std::int32_t ndim;
  struct {
    std::uint8_t code, bits;
    std::uint16_t lanes;
  } dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};

TEST(Views, AreMadeOfMdspansAndTensors) {
  const std::vector<float> a = counted(4);
  std::vector<float> out(6);
  twice().execute(host, view(Mdspan{a.data()}), view(out.data(), {2, 2}));
  EXPECT_THAT(std::span(out).first(4), ElementsAre(0, 4, 2, 6));

  std::vector<float> values = counted(7);
  std::int64_t shape[] = {2, 3}, columns[] = {1, 2};
  const Tensor dense{values.data(), 2, {2, 32, 1}, shape, nullptr, 4};
  const Tensor other{values.data(), 2, {2, 32, 1}, shape, columns, 4};
  const Tensor scalar{values.data(), 0, {2, 32, 1}, nullptr, nullptr, 8};
  const ArrayRef result = view(out.data(), {2, 3});
  sum().execute(host, {view(dense), view(other)}, {ArrayRef(view(out.data(), {2, 3}))});
  EXPECT_THAT(out, ElementsAre(2, 5, 8, 6, 9, 12));
  const auto all = view(out.data(), {2, 3});
  sum().execute(host, {view(dense), view(scalar)}, {ArrayRef(all)});
  EXPECT_THAT(out, ElementsAre(3, 4, 5, 6, 7, 8));
  EXPECT_EQ(result.count, 6u);

  for (const auto& [code, bits, lanes] : {std::array{2, 32, 2}, {2, 24, 1}, {4, 32, 1}, {9, 8, 1}, {3, 64, 1}}) {
    const Tensor odd{values.data(), 2,       {std::uint8_t(code), std::uint8_t(bits), std::uint16_t(lanes)},
                     shape,         nullptr, 0};
    EXPECT_EQ(error_of([&] { view(odd); }).code(), ErrorCode::TypeMismatch) << code;
  }
  EXPECT_EQ(detail::element_of_dlpack(5, 64, 1), element_type<std::complex<float>>());
  EXPECT_EQ(detail::element_of_dlpack(6, 8, 1), element_type<bool>());
  EXPECT_EQ(detail::element_of_dlpack(1, 16, 1), element_type<std::uint16_t>());
}

TEST(Views, ListsOwnTheirExtents) {
  const std::vector<float> a = counted(6), row = {1, 2, 3};
  std::vector<float> out(6);
  const auto make = [&] { return inputs(view(a.data(), {2, 3}), view(row.data(), {3})); };
  auto list = make();
  const auto copy = list;
  list = inputs(view(row.data(), {1, 3}), view(row.data(), {1, 3}));
  sum().execute(host, copy, view(out.data(), {2, 3}));
  EXPECT_THAT(out, ElementsAre(1, 3, 5, 4, 6, 8));
  sum().execute(host, list, view(out.data(), {1, 3}));
  EXPECT_EQ(out[2], 6);
}

TEST(Views, OfMoreThanEightDimensionsAreArrayRefs) {
  const std::vector<float> a = counted(2);
  std::vector<float> out(4);
  const std::vector<std::int64_t> ones = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 1}, all = {1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2};
  const ArrayRef in = ArrayRef::shaped(a.data(), element_type<float>(), 11, ones.data());
  const ArrayRef result = ArrayRef::shaped(out.data(), element_type<float>(), 11, all.data());
  twice().execute(host, {in}, {result});
  EXPECT_THAT(out, ElementsAre(0, 0, 2, 2));
  const Error error = error_of([&] { view(a.data(), ones); });
  EXPECT_THAT(error.message(), HasSubstr("at most 8"));
  EXPECT_THAT(error_of([&] { permuted(view(a.data(), {1, 2}), 0, 0); }).message(), HasSubstr("2 dimensions"));
}

// ---- refusals ----

// The host's kernel serves every shape.
TEST(Views, ArePreparedWithoutMemory) {
  Transform transform = sum();
  const float* const nothing = nullptr;
  float* const out = nullptr;
  transform.prepare_shapes(inputs(view(nothing, {64, 48}, {1, 64}), view(nothing, {48})), view(out, {64, 48}));
  const Error error = error_of([&] {
    transform.prepare_shapes(inputs(view(nothing, {64, 47}), view(nothing, {48})), view(out, {64, 48}));
  });
  EXPECT_EQ(error.code(), ErrorCode::CountMismatch);
  EXPECT_THAT(error.message(), HasSubstr("dimension 1 is 47 and 48"));
  EXPECT_EQ(transform.describe_shapes(inputs(view(nothing, {2, 64, 48}), view(nothing, {48})), view(out, {2, 64, 48})),
            "rank 2 (given: 3): input 0 contiguous, input 1 contiguous, output 0 contiguous; served on the host");
  EXPECT_EQ(transform.describe_shapes(inputs(view(nothing), view(nothing)), view(out)), "rank 0; served on the host");
  EXPECT_EQ(transform.describe_shapes(inputs(view(nothing, {0, 5}), view(nothing)), view(out, {0, 5})),
            "no elements: nothing is launched");
  const auto of = [](std::size_t count) { return ArrayRef(nullptr, count, element_type<float>()); };
  EXPECT_EQ(transform.describe_shapes({of(8), of(8)}, {of(8)}), "rank 1; served on the host");
  EXPECT_EQ(error_of([&] { transform.describe_shapes({of(8), of(1)}, {of(8)}); }).code(), ErrorCode::CountMismatch);
}

TEST(Views, AreRefusedLikeArrays) {
  const std::vector<float> a = counted(12);
  std::vector<float> out(12, -1);
  std::vector<double> wide(6);
  const auto all = view(out.data(), {2, 3});
  struct Row {
    std::function<void()> call;
    ErrorCode code;
    const char* words;
  };
  const std::byte* const odd = reinterpret_cast<const std::byte*>(a.data()) + 1;
  const Transform bits_of = on_host("__device__ float f(graft::Bit b, float x) { return b ? x : 0; }");
  const std::uint32_t word = 5;
  for (const Row& row : std::vector<Row>{
           {[&] {
              twice().execute(host, view(a.data(), {3, 2}), all);
            },
            ErrorCode::CountMismatch, "(3, 2)"},
           {[&] {
              twice().execute(host, view(a.data(), {2, 3}), out);
            },
            ErrorCode::CountMismatch, "output 0"},
           {[&] {
              twice().execute(host, view(wide.data(), {2, 3}), all);
            },
            ErrorCode::TypeMismatch, "double"},
           {[&] {
              sum().execute(host, view(a.data(), {2, 3}), all);
            },
            ErrorCode::CountMismatch, "2 input"},
           {[&] {
              twice().execute(host, view(static_cast<const float*>(nullptr), {2, 3}), all);
            },
            ErrorCode::InvalidArgument, "null"},
           {[&] {
              twice().execute(host, view(reinterpret_cast<const float*>(odd), {2, 3}), all);
            },
            ErrorCode::Misaligned, "aligned"},
           {[&] {
              twice().execute(host, view(a.data(), {2, 3}), view(out.data(), {2, 3}, {0, 1}));
            },
            ErrorCode::Overlap, "stride is 0"},
           {[&] {
              twice().execute(host, view(out.data(), {3, 3}, {1, 3}), view(out.data(), {3, 3}));
            },
            ErrorCode::Overlap, "overlaps input 0"},
           {[&] { twice().execute(host, view(out.data(), {6}), view(out.data() + 1, {6})); }, ErrorCode::Overlap,
            "overlaps input 0"},
           {[&] { bits_of.execute(host, inputs(bits(&word, 6), view(a.data(), {6})), view(out.data(), {6})); },
            ErrorCode::TypeMismatch, "bit array"},
           {[&] {
              twice().execute(host, view(a.data(), {2, 3}), all, 3.0f);
            },
            ErrorCode::TypeMismatch, "no state"},
       }) {
    const Error error = error_of(row.call);
    EXPECT_EQ(error.code(), row.code) << error.what();
    EXPECT_THAT(error.message(), HasSubstr(row.words));
    EXPECT_THAT(error.message(), HasSubstr("graft_transform_"));
    EXPECT_FALSE(error.remedy().empty());
  }
  EXPECT_THAT(out, testing::Each(-1));
  // Exactly in place, and parts of one array that share no memory.
  std::vector<float> square = counted(9);
  twice().execute(host, view(square.data(), {3, 3}, {1, 3}), view(square.data(), {3, 3}, {1, 3}));
  EXPECT_EQ(square[8], 16);
  twice().execute(host, view(square.data(), {3}, {3}), view(square.data() + 1, {3}, {3}));
  EXPECT_EQ(square[7], 2 * square[6]);
}

TEST(Views, WithoutElementsDoNothing) {
  twice().execute(host, view(static_cast<const float*>(nullptr), {0, 3}), view(static_cast<float*>(nullptr), {0, 3}));
  sum().execute(host,
                inputs(view(static_cast<const float*>(nullptr), {4, 1, 3}), view(static_cast<float*>(nullptr), {0, 1})),
                view(static_cast<float*>(nullptr), {4, 0, 3}));
}

// ---- random shapes ----

std::vector<float> random_floats(std::int64_t count, std::mt19937& random) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) value = static_cast<float>(random() % 1000);
  return values;
}

TEST(Views, OfRandomShapesGiveTheBytesOfALoop) {
  const Transform transform =
      on_host("__device__ float f(float a, float b, graft::Index i) { return a - 3 * b + 1000.0f * i.value; }");
  constexpr ElementType kFloat = element_type<float>();
  std::mt19937 random(20261127);
  for (int round = 0; round < 10'000; ++round) {
    const Extents call = random_shape(random, 10, 150);
    const RandomView a = random_view(call, false, random), b = random_view(call, false, random);
    const RandomView out = random_view(call, true, random);
    const std::vector<float> of_a = random_floats(a.memory, random), of_b = random_floats(b.memory, random);
    std::vector<float> results = random_floats(out.memory, random), expected = results;
    for_each_element(call, [&](std::int64_t index, const Extents& place) {
      expected[static_cast<std::size_t>(out.at(place))] = of_a[static_cast<std::size_t>(a.at(place))] -
                                                          3 * of_b[static_cast<std::size_t>(b.at(place))] +
                                                          1000.0f * static_cast<float>(index);
    });
    transform.execute(host, {a.ref(of_a.data(), kFloat), b.ref(of_b.data(), kFloat)},
                      {out.ref(results.data(), kFloat)});
    ASSERT_THAT(results, ElementsAreArray(expected)) << "round " << round;
  }
}

}  // namespace
}  // namespace graft::test
