// A formula is a callback like any other: parameters by struct and by name, structs, bits, chains, stages, FFTs,
// reductions, functions of the application's.
#include <gtest/gtest.h>

#include <array>
#include <complex>

#include "formula/values/columns.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

Options on_host() {
  Options options;
  options.routes.required = Route::Host;
  return options;
}

std::vector<float> run(const Callback& callback, const std::vector<float>& x, StateRef state = {}) {
  std::vector<float> y(x.size());
  Transform::create(callback, on_host()).execute(host, x, y, state);
  return y;
}

TEST(FormulaCallbacks, ParametersAreGivenByStructOrByName) {
  const Transform line = Transform::create(formula("a * max(x, 0) + b", "f32 x; f32 a, b"), on_host());
  const std::vector<float> x = {-1, 2};
  std::vector<float> y(2);
  struct Line {
    float a, b;
  };
  line.execute(host, x, y, Line{2, 1});
  EXPECT_EQ(y, (std::vector<float>{1, 5}));
  Parameters values("f32 a, b");
  line.execute(host, x, y, values.state());
  EXPECT_EQ(y, (std::vector<float>{0, 0}));
  values.set("a", 10);
  values.set("b", 0.5);
  line.execute(host, x, y, values.state());
  EXPECT_EQ(y, (std::vector<float>{0.5f, 20.5f}));
}

// Members of all types lie where C++ puts them.
TEST(FormulaCallbacks, ParametersHaveTheLayoutOfAStruct) {
  const std::vector<Variable> parameters = {
      {"m", "bool"}, {"d", "f64"},  {"i", "i8"},  {"h", "f16"},   {"p", {{"x", "f32"}, {"n", "u16"}}},
      {"u", "u64"},  {"b", "bf16"}, {"z", "c64"}, {"last", "i8"},
  };
  struct Inner {
    float x;
    std::uint16_t n;
  };
  struct All {
    bool m = true;
    double d = 2.5;
    std::int8_t i = -3;
    std::uint16_t h = 0x3c00;  // 1
    Inner p = {0.25f, 65535};
    std::uint64_t u = 1ull << 40;
    std::uint16_t b = 0xc000;  // -2
    alignas(8) std::complex<float> z = {3, -4};
    std::int8_t last = 9;
  };
  const Transform all =
      Transform::create(formula("o0 = m; o1 = d; o2 = i; o3 = h + b; o4 = p.x + p.n; o5 = u; o6 = abs(z) + last + x",
                                {{"x", "f32"}}, parameters),
                        on_host());
  Parameters values(parameters);
  values.set("m", true);
  values.set("d", 2.5);
  values.set("i", -3);
  values.set("h", 1);
  values.set("p.x", 0.25);
  values.set("p.n", 65535u);
  values.set("u", 1ull << 40);
  values.set("b", -2.0f);
  values.set("z", {3, -4});
  values.set("last", 9);
  const std::vector<float> x = {0.5f};
  const auto check = [&](StateRef state) {
    std::array<bool, 1> o0 = {};
    std::array<double, 1> o1 = {};
    std::array<std::int8_t, 1> o2 = {};
    std::array<float, 1> o3 = {};
    std::array<float, 1> o4 = {};
    std::array<std::uint64_t, 1> o5 = {};
    std::array<float, 1> o6 = {};
    all.execute(host, x, outputs(o0, o1, o2, o3, o4, o5, o6), state);
    EXPECT_TRUE(o0[0]);
    EXPECT_EQ(o1[0], 2.5);
    EXPECT_EQ(o2[0], -3);
    EXPECT_EQ(o3[0], -1);
    EXPECT_EQ(o4[0], 65535.25f);
    EXPECT_EQ(o5[0], 1ull << 40);
    EXPECT_EQ(o6[0], 14.5f);
  };
  check(All{});
  check(values.state());
}

// Complex numbers of the C++ library have the alignment of their parts.
TEST(FormulaCallbacks, ParametersMayBeStdComplex) {
  struct Point {
    std::int8_t n;
    std::complex<double> w;
  };
  struct All {
    std::int8_t a = 1;
    std::complex<float> z = {2, 3};
    double d = 4;
    Point p = {5, {6, 7}};
  };
  const std::vector<Variable> parameters = {
      {"a", "i8"},
      {"z", element_type<std::complex<float>>()},
      {"d", "f64"},
      {"p", {{"n", "i8"}, {"w", element_type<std::complex<double>>()}}},
  };
  const Transform all =
      Transform::create(formula("o0 = a; o1 = z * x; o2 = d; o3 = p.w + p.n", {{"x", "f32"}}, parameters), on_host());
  Parameters values(parameters);
  values.set("a", 1);
  values.set("z", {2, 3});
  values.set("d", 4);
  values.set("p.n", 5);
  values.set("p.w", {6, 7});
  const std::vector<float> x = {1};
  const auto check = [&](StateRef state) {
    std::array<std::int8_t, 1> o0 = {};
    alignas(8) std::array<std::complex<float>, 1> o1 = {};
    std::array<double, 1> o2 = {};
    alignas(16) std::array<std::complex<double>, 1> o3 = {};
    all.execute(host, x, outputs(o0, o1, o2, o3), state);
    EXPECT_EQ(o0[0], 1);
    EXPECT_EQ(o1[0], std::complex<float>(2, 3));
    EXPECT_EQ(o2[0], 4);
    EXPECT_EQ(o3[0], std::complex<double>(11, 7));
  };
  check(All{});
  check(values.state());
}

TEST(FormulaCallbacks, WrongValuesOfParametersAreRefused) {
  Parameters values("i8 i, u16 u, f32 x, bool m, c64 z");
  for (const int wrong : {128, -129, 1'000'000})
    EXPECT_EQ(error_of([&] { values.set("i", wrong); }).code(), ErrorCode::InvalidArgument) << wrong;
  EXPECT_EQ(error_of([&] { values.set("i", 1.5); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { values.set("i", HUGE_VAL); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { values.set("i", std::nan("")); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { values.set("u", -1); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { values.set("x", {0, 1}); }).code(), ErrorCode::InvalidArgument);
  const Error unknown = error_of([&] { values.set("y", 1); });
  EXPECT_EQ(unknown.message(), "the formula has no parameter `y`");
  EXPECT_EQ(unknown.remedy(), "The parameters are: i, u, x, m, z.");
  EXPECT_NO_THROW(values.set("i", 127.0));
  EXPECT_NO_THROW(values.set("x", 1e300));
  EXPECT_THROW(Parameters(""), Error);
  EXPECT_THROW(Parameters("f32 x; f32 a"), Error);
}

TEST(FormulaCallbacks, ReadStructsAndBits) {
  struct Point {
    float x;
    std::int16_t n;
  };
  const Transform scaled =
      Transform::create(formula("v ? p.x * p.n : 0", {{"p", {{"x", "f32"}, {"n", "i16"}}}, {"v", "bit"}}), on_host());
  const std::vector<Point> points = {{0.5f, 3}, {2, -2}, {1, 1}};
  const std::vector<std::uint32_t> valid = {0b101};
  std::vector<float> y(3);
  scaled.execute(host, inputs(points, bits(valid.data(), 3)), y);
  EXPECT_EQ(y, (std::vector<float>{1.5f, 0, 1}));
}

TEST(FormulaCallbacks, ArePartsOfChainsAndStages) {
  const Callback twice = formula("2 * x", "f32 x");
  const Callback shifted = formula("x + a", "f32 x; f32 a");
  const Callback square = "__device__ float square(float x) { return x * x; }";
  EXPECT_EQ(run(chain(twice, shifted, square), {1, 2}, 1.0f).size(), 2u);
  Parameters a("f32 a");
  a.set("a", 1);
  EXPECT_EQ(run(chain(twice, shifted, square), {1, 2}, a.state()), (std::vector<float>{9, 25}));
  EXPECT_EQ(run(chain(square, twice, twice), {1, 3}), (std::vector<float>{4, 36}));
  const Callback load = R"(
      __device__ float load(void* data, unsigned long long offset, void*, void*) {
        return static_cast<float*>(data)[offset] + 100;
      }
  )";
  EXPECT_EQ(run(Stages{.load = load, .op = formula("max(x, 3)", "f32 x")}, {1, -200}), (std::vector<float>{101, 3}));
}

TEST(FormulaCallbacks, AreCallbacksOfReductions) {
  const Reduce sum = Reduce::create({.map = formula("x ^ 2", "f32 x"),
                                     .combine = formula("a + b", "f32 a, b"),
                                     .finish = formula("sqrt(s)", "f32 s")},
                                    on_host());
  const std::vector<float> x = {3, 4};
  std::vector<float> y(1);
  sum.execute(host, x, y);
  EXPECT_EQ(y[0], 5);
}

TEST(FormulaCallbacks, AreCallbacksOfFfts) {
  const Fft fft = Fft::create(
      {.length = 4}, {.load = formula("complex(x, 0)", "i16 x"), .store = formula("norm(z)", "c64 z")}, on_host());
  const std::vector<std::int16_t> x = {1, 2, 3, 4};
  std::vector<float> y(4);
  fft.execute(host, x, y);
  EXPECT_EQ(y, (std::vector<float>{100, 8, 4, 8}));
}

TEST(FormulaCallbacks, CallFunctionsOfTheApplication) {
  const std::vector<FormulaFunction> functions = {
      {"gain", "f64", {"f32", "i32"}, "__device__ double gain(float x, int n) { return static_cast<double>(x) * n; }"}};
  const Transform transform = Transform::create(formula("gain(x, 3) / 2", {{"x", "f32"}}, {}, functions), on_host());
  const std::vector<float> x = {1, 5};
  std::vector<double> y(2);
  transform.execute(host, x, y);
  EXPECT_EQ(y, (std::vector<double>{1.5, 7.5}));
}

// Without inputs, the outputs give the number of elements.
TEST(FormulaCallbacks, NeedNoInputs) {
  const Transform constant = Transform::create(formula("a", "; f32 a"), on_host());
  std::vector<float> y(3);
  Parameters a("f32 a");
  a.set("a", 7);
  constant.execute(host, inputs(), y, a.state());
  EXPECT_EQ(y, (std::vector<float>{7, 7, 7}));
}

// The application's macros do not reach graft's names.
TEST(FormulaCallbacks, DefinesOfEverydayNamesChangeNothing) {
  Options options = on_host();
  for (const char* name : {"x", "a", "b", "value", "T", "min", "max", "p"}) options.defines.push_back({name, "?"});
  const Transform transform = Transform::create(
      formula("a * max(x, 0) + clamp(x, 1, 2) % 3 + real(z) ^ 2 + abs(z * z / z)", "f32 x, c64 z; f32 a"), options);
  EXPECT_EQ(transform.signature().inputs().size(), 2u);
}

}  // namespace
}  // namespace graft::test
