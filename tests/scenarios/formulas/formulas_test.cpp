// Every formula is taken by the host and by GPUs, with the same type, or refused by both.
#include "scenarios/formulas/formulas.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <cstring>
#include <sstream>

#include "base/files.hpp"
#include "graft/graft.hpp"
#include "scenarios/formulas/typed_formulas.hpp"
#include "support/host_bytes.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

constexpr std::array kGpuRoutes = {Route::Lto, Route::Program, Route::Ptx};

Options by(Route route) {
  Options options;
  options.routes.required = route;
  return options;
}

template <class T>
double run_as(const Transform& transform, float x) {
  T result = T();
  transform.execute(host, std::array{ArrayRef(&x, 1, element_type<float>())},
                    std::array{ArrayRef(&result, 1, element_type<T>())});
  return static_cast<double>(result);
}

double run(const Transform& transform, std::string_view type, float x) {
  if (type == "float") return run_as<float>(transform, x);
  if (type == "double") return run_as<double>(transform, x);
  if (type == "int") return run_as<int>(transform, x);
  if (type == "unsigned int") return run_as<unsigned>(transform, x);
  return run_as<long>(transform, x);
}

class FormulasAlone : public testing::TestWithParam<Formula> {};

TEST_P(FormulasAlone, HaveOneTypeOnAllRoutesAndTheRightValueOnTheHost) {
  if (!is_turn_of(0, row_of_test(), 2)) GTEST_SKIP() << "another round's: " << rotation_text();
  const Formula& formula = GetParam();
  const std::string signature = std::string(formula.type) + "(float)";
  const Callback callback = lambda(formula.text);
  for (const Route route : in_turn(kGpuRoutes, row_of_test()))
    EXPECT_EQ(build(callback, Architecture(90), by(route)).signature().text(), signature)
        << name(route) << ", " << rotation_text();
  const Transform transform = Transform::create(callback, by(Route::Host));
  EXPECT_EQ(transform.signature().text(), signature);
  for (const float x : {0.25f, 1.0f, 1.75f}) {
    const double value = formula.value(x), tolerance = 1e-6 * std::fmax(1, std::fabs(value));
    EXPECT_NEAR(run(transform, formula.type, x), value, tolerance) << x;
  }
}

std::string test_name(std::string_view formula) {
  std::string name;
  for (const char c : formula)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, FormulasAlone, testing::ValuesIn(kFormulas),
                         [](const testing::TestParamInfo<Formula>& row) {
                           return std::to_string(row.index) + "_" + test_name(row.param.text);
                         });

// One program of all formulas, by one GPU route in each run.
TEST(TypedFormulas, HaveOneTypeOnAllRoutes) {
  const Callback callback = all_typed_formulas();
  for (const Route route : in_turn(std::array{Route::Lto, Route::Program, Route::Ptx, Route::Indirect}, 0))
    EXPECT_NO_THROW(build(callback, Architecture(90), by(route))) << name(route) << ", " << rotation_text();
}

template <class T>
ByteArray column(T TypedValues::*member) {
  ByteArray bytes;
  for (const TypedValues& values : kTypedValues) {
    const std::byte* const first = reinterpret_cast<const std::byte*>(&(values.*member));
    bytes.insert(bytes.end(), first, first + sizeof(T));
  }
  return bytes;
}
ByteArray column_of_halves() {
  ByteArray bytes;
  for (const TypedValues& values : kTypedValues) {
    const __half half = __float2half_rn(values.h);
    bytes.resize(bytes.size() + sizeof half);
    std::memcpy(&bytes[bytes.size() - sizeof half], &half, sizeof half);
  }
  return bytes;
}

TEST(TypedFormulas, HaveTheRightValuesOnTheHost) {
  const HostBytes all(all_typed_formulas());
  const std::vector<ByteArray> inputs = {column(&TypedValues::x), column(&TypedValues::d), column(&TypedValues::i),
                                         column(&TypedValues::u), column(&TypedValues::k), column(&TypedValues::s),
                                         column(&TypedValues::c), column(&TypedValues::m), column_of_halves()};
  for (std::size_t k = 0; k < kTypedFormulas.size(); ++k) {
    const TypedFormula& formula = kTypedFormulas[k];
    const ByteArray results = all.run(inputs, choice_of(k), kTypedValues.size())[0];
    for (std::size_t i = 0; i < kTypedValues.size(); ++i)
      expect_value(formula, i, typed_value(formula.type, &results[kAnyValueBytes * i]));
  }
}

// The names in a row of the table in docs/callbacks.md.
std::vector<std::string> names_of_row(const std::string& first_cell) {
  const std::string page = base::read_file(GRAFT_SOURCE_DIR "/docs/callbacks.md").value_or("");
  const std::string begin = "\n| " + first_cell + " | ";
  const std::size_t at = page.find(begin);
  std::vector<std::string> names;
  if (at == page.npos) return names;
  std::istringstream cell(page.substr(at + begin.size(), page.find('\n', at + 1) - at - begin.size()));
  for (std::string word; cell >> word && word != "|";) names.push_back(word.substr(1, word.size() - 2));
  return names;
}

TEST(NamesOnAllRoutes, AreThoseOfThePage) {
  std::vector<std::string> calls;
  const auto add = [&](const std::string& row, const std::string& arguments, std::size_t least) {
    const std::vector<std::string> names = names_of_row(row);
    EXPECT_GE(names.size(), least) << row;
    for (const std::string& name : names) calls.push_back(name + "(" + arguments + ")");
  };
  add("of one number", "x", 50);
  add("of one number", "i", 50);
  add("of two", "x, x", 15);
  add("of two", "d, x", 15);
  add("of three", "x, x, x", 2);
  const Callback callback = chosen_of("", "float x, double d, int i", calls);
  EXPECT_NO_THROW(Transform::create(callback, by(Route::Host)));
  for (const Route route : in_turn(kGpuRoutes, 0)) EXPECT_NO_THROW(build(callback, Architecture(90), by(route)));
}

TEST(Formulas, AreTwoHundred) {
  EXPECT_GE(kFormulas.size() + kTypedFormulas.size() + kRefusedFormulas.size(), 200u);
}

TEST(RefusedFormulas, AreRefusedOnAllRoutes) {
  for (std::size_t k = 0; k < kRefusedFormulas.size(); ++k) {
    if (!is_turn_of(0, k, 2)) continue;
    const Callback callback = lambda(kRefusedFormulas[k]);
    EXPECT_THROW(Transform::create(callback, by(Route::Host)), Error) << kRefusedFormulas[k];
    for (const Route route : in_turn(kGpuRoutes, k))
      EXPECT_THROW(build(callback, Architecture(90), by(route)), Error) << kRefusedFormulas[k] << " by " << name(route);
  }
}

// What a callback defines itself is a better match than graft's overloads, and hides nothing that its text calls.
constexpr const char* kOwnFunctions[] = {
    "__device__ float max(float a, int b) { return a + 10 * b; }\n"
    "__device__ float f(float x) { return max(x, 2); }",
    "template <class A, class B> __device__ float max(A a, B b) { return a + 10 * b; }\n"
    "__device__ float f(float x) { return max(x, 2); }",
    "template <class T> __device__ float rsqrt(T a) { return a * 10; }\n"
    "__device__ float f(float x) { return x + rsqrt(2); }",
    "__device__ float sqrt(int a) { return a * 10; }\n"
    "__device__ float f(float x) { return x + sqrt(2); }",
    "namespace own { __device__ float max(float a, int b) { return a + 10 * b; } }\n"
    "__device__ float f(float x) { return own::max(x, 2); }",
    "#define max(a, b) ((a) + 10 * (b))\n"
    "__device__ float f(float x) { return max(x, 2); }",
    "#define T int\n#define name sqrt\n"
    "__device__ float f(float x) { T n = 2; return x + 20 * (name(4) == n); }",
    "struct Own { __device__ float max(float a, int b) const { return a + 10 * b; } };\n"
    "__device__ float f(float x) { return Own().max(x, 2); }",
    "__device__ float f(float x) { const float max = 20; return x + max; }",
};

TEST(OwnFunctions, WinOverGrafts) {
  for (const char* text : kOwnFunctions) {
    Options options = by(Route::Host);
    options.entry = "f";
    const Transform transform = Transform::create(text, options);
    EXPECT_EQ(run(transform, "float", 1.5f), 21.5) << text;
    for (const Route route : kGpuRoutes) {
      options.routes.required = route;
      EXPECT_EQ(build(text, Architecture(90), options).signature().text(), "float(float)") << text;
    }
  }
}

// A callback in a header or a macro is a callback too.
TEST(FormulasOfOtherTexts, AreTaken) {
  for (const Route route : {Route::Lto, Route::Program, Route::Host}) {
    Options options = by(route);
    options.headers = {{"relu.h", "__device__ inline float relu(float x) { return max(x, 0); }"}};
    options.defines = {{"ROOT", "sqrt(2)"}};
    const Callback callback = "#include \"relu.h\"\n__device__ float f(float x) { return relu(x) * ROOT; }";
    if (route == Route::Host) EXPECT_NO_THROW(Transform::create(callback, options));
    else EXPECT_NO_THROW(build(callback, Architecture(90), options));
  }
}

// A function without parameters has no element whose type an adapter could ask for.
TEST(FunctionsWithoutParameters, AreBuiltOnAllRoutesAndPacked) {
  for (const char* text : {"__device__ short f() { return 7; }", "[] { return 7; }", "[]() -> float { return 7; }",
                           "__device__ void f(float& y) { y = 7; }"}) {
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx, Route::Indirect})
      EXPECT_NO_THROW(build(text, Architecture(90), by(route))) << text << " by " << name(route);
    const std::vector<std::byte> pack = Callback(text).precompile({Architecture(90)});
    for (const Route route : {Route::Lto, Route::Program, Route::Ptx})
      EXPECT_NO_THROW(build(Callback::pack(pack), Architecture(90), by(route))) << text << " by " << name(route);
  }
  std::array<short, 3> values = {};
  Transform::create("__device__ short f() { return 7; }", by(Route::Host)).execute(host, inputs(), values);
  EXPECT_EQ(values, (std::array<short, 3>{7, 7, 7}));
}

// Members of a chain share the overloads.
TEST(FormulasOfChains, AreTaken) {
  const Callback callback = chain({lambda("max(x, 0)"), lambda("min(x, 1)"), lambda("max(x, 0.f)")});
  for (const Route route : {Route::Lto, Route::Program})
    EXPECT_EQ(build(callback, Architecture(90), by(route)).signature().text(), "float(float)");
  EXPECT_EQ(run(Transform::create(callback, by(Route::Host)), "float", 1.5f), 1.0);
}

}  // namespace
}  // namespace graft::test
