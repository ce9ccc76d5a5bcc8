// docs/formulas.md: its examples run, and its tables and numbers are those of the code.
#include <gtest/gtest.h>

#include <string>

#include "base/files.hpp"
#include "base/format.hpp"
#include "formula/bounds.hpp"
#include "formula/functions.hpp"
#include "formula/type.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

std::string page() {
  return base::read_file(GRAFT_SOURCE_DIR "/docs/formulas.md").value_or("");
}

TEST(FormulaPage, ExamplesRun) {
  graft::Options options;
  options.routes.required = graft::Route::Host;
  const std::vector<float> x = {-1, 2};
  std::vector<float> y(2);
  // [first]
  const graft::Callback callback = graft::formula("a * max(x, 0) + b", "f32 x; f32 a, b");
  const graft::Transform transform = graft::Transform::create(callback, options);
  graft::Parameters values("f32 a, b");
  values.set("a", 2);
  values.set("b", 0.5);
  transform.execute(graft::host, x, y, values.state());  // or a struct { float a, b; }
  // [/first]
  EXPECT_EQ(y, (std::vector<float>{0.5f, 4.5f}));

  // [list]
  const graft::Callback line = graft::formula("a * x + b", {{"x", "f32"}}, {{"a", "f32"}, {"b", "f32"}});
  const graft::Callback point = graft::formula("hypot(p.x, p.y)", {{"p", {{"x", "f32"}, {"y", "f32"}}}});  // of structs
  // [/list]
  transform.execute(graft::host, x, y, values.state());
  graft::Transform::create(line, options).execute(graft::host, x, y, values.state());
  EXPECT_EQ(y, (std::vector<float>{-1.5f, 4.5f}));
  struct Point {
    float x, y;
  };
  const std::vector<Point> points = {{3, 4}, {5, 12}};
  graft::Transform::create(point, options).execute(graft::host, points, y);
  EXPECT_EQ(y, (std::vector<float>{5, 13}));

  // [functions]
  const std::vector<graft::FormulaFunction> functions = {
      {"gain", "f32", {"f32"}, "__device__ float gain(float x) { return x < 1 ? x : 1 + (x - 1) / 4; }"}};
  const graft::Callback loud = graft::formula("gain(2 * x)", {{"x", "f32"}}, {}, functions);
  // [/functions]
  graft::Transform::create(loud, options).execute(graft::host, x, y);
  EXPECT_EQ(y, (std::vector<float>{-2, 1.75f}));

  // [outputs]
  const graft::Callback polar = graft::formula("radius = hypot(x, y); angle = atan2(y, x)", "f32 x, y");
  // [/outputs]

  // [lines]
  const graft::Callback parts = graft::formula(R"(
      let r = hypot(x, y)     # no output
      near = r < 1
      u = r > 0 ? x / r : 0
  )",
                                               "f32 x, y");
  // [/lines]
  EXPECT_EQ(parts, graft::formula("let r = hypot(x, y); near = r < 1; u = r > 0 ? x / r : 0", "f32 x, y"));
  std::vector<float> angle(2);
  graft::Transform::create(polar, options).execute(graft::host, graft::inputs(x, x), graft::outputs(y, angle));
  EXPECT_FLOAT_EQ(angle[1], 0.78539816f);
}

TEST(FormulaPage, WeakParametersTakeTheTypeThatTheyMeet) {
  graft::Options options;
  options.routes.required = graft::Route::Host;
  const std::vector<float> x = {1, 2};
  std::vector<float> y(2);
  // [weak]
  const graft::WeakFormula formula("x * (a - b)", {{"x", "f32"}}, {"a", "b"});
  graft::WeakValues values = formula.values({100000001, 100000000});
  const graft::WeakCallback callback = formula.callback(values);  // for all integers
  const graft::Transform transform = graft::Transform::create(callback.callback(), options);
  transform.execute(graft::host, x, y, callback.parameters(values).state());  // y is x
  // [/weak]
  EXPECT_EQ(y, x);
  values = formula.values({7, 4});
  transform.execute(graft::host, x, y, callback.parameters(values).state());
  EXPECT_EQ(y, (std::vector<float>{3, 6}));
}

TEST(FormulaPage, TypesComeFromTheArrays) {
  graft::Options options;
  options.routes.required = graft::Route::Host;
  // [generic]
  const graft::GenericCallback line = graft::GenericCallback::formula("x; a, b => a * max(x, 0) + b");
  const graft::Transform floats = graft::Transform::create(line, graft::types("f32; f32, f32"), options);
  const graft::GenericCallback bare = graft::GenericCallback::formula("a * max(x, 0) + b");
  const graft::Transform doubles = graft::Transform::create(bare, graft::types("f64 x; f32 a, b"), options);
  // [/generic]
  struct Line {
    float a, b;
  };
  const std::vector<float> x = {-1, 2};
  const std::vector<double> wide = {-1, 2};
  std::vector<float> y(2);
  std::vector<double> z(2);
  floats.execute(graft::host, x, y, Line{2, 0.5f});
  doubles.execute(graft::host, wide, z, Line{2, 0.5f});
  EXPECT_EQ(y, (std::vector<float>{0.5f, 4.5f}));
  EXPECT_EQ(z, (std::vector<double>{0.5, 4.5}));
}

TEST(FormulaPage, HasTheTableOfTypes) {
  EXPECT_NE(page().find(formulas::table_of_sums()), std::string::npos) << formulas::table_of_sums();
}

TEST(FormulaPage, NamesEachFunction) {
  for (const formulas::Function& function : formulas::functions()) {
    const std::string name(function.name);
    EXPECT_TRUE(page().find("`" + name + "`") != std::string::npos ||
                page().find("`" + name + "(") != std::string::npos)
        << name;
  }
}

TEST(FormulaPage, NamesOfNumPyAreThoseOfTheTables) {
  for (const char* name : {"where",   "clip",    "maximum", "minimum", "absolute", "conjugate", "angle",   "power",
                           "fix",     "sgn",     "ln",      "arcsin",  "arccos",   "arctan",    "arctan2", "arcsinh",
                           "arccosh", "arctanh", "radians", "degrees", "expit",    "gammaln",   "tgamma",  "IF"}) {
    EXPECT_NE(formulas::find_function(name), nullptr) << name;
    EXPECT_NE(page().find(base::format("`{}`", name)), std::string::npos) << name;
  }
  for (const char* name :
       {"add",       "subtract",    "multiply",   "divide",      "floor_divide", "mod",           "remainder",
        "negative",  "positive",    "less",       "less_equal",  "greater",      "greater_equal", "equal",
        "not_equal", "logical_and", "logical_or", "logical_not", "bitwise_and",  "bitwise_or",    "invert"}) {
    EXPECT_NE(formulas::find_operator(name), nullptr) << name;
    EXPECT_NE(page().find(base::format("`{}`", name)), std::string::npos) << name;
  }
}

TEST(FormulaPage, StatesTheBounds) {
  static_assert(formulas::kMostTokens == 4096 && formulas::kMostDepth == 200 && formulas::kMostCalls == 256 &&
                formulas::kMostOutputs == 8 && formulas::kMostInputs == 16 && formulas::kMostParameterBytes == 2048);
  for (const char* number : {"4,096 words", "nesting of 200", "256 calls", "8 outputs", "16 inputs", "2,048 bytes"})
    EXPECT_NE(page().find(number), std::string::npos) << number;
}

}  // namespace
}  // namespace graft::test
