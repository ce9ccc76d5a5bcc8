// Tests which functions are generic, and the entries that are written for given types.
#include "reflect/callback/generic.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "graft/error.hpp"
#include "support/errors.hpp"

namespace graft::reflect {
namespace {

using test::error_of;

Instance instance(const std::string& text, const GivenTypes& types, const std::string& entry = {}) {
  const std::optional<GenericFunction> function = find_function(text, entry);
  if (!function) {
    ADD_FAILURE() << "no function in " << text;
    return {};
  }
  return instance_of(*function, types, text, "callback.cu");
}

struct EntryRow {
  std::string text;
  GivenTypes types;
  std::string entry;
  std::string wanted = {};  // the entry that the caller names
};

TEST(Generic, EntriesAreLambdasOfTheGivenTypes) {
  const std::vector<EntryRow> rows = {
      {"template <class T> __device__ T f(T x) { return x; }",
       {{"float"}},
       "[](float graft_x0) { return f<>(graft_x0); }"},
      {"template <class T> __device__ T mix(T a, T b, float t) { return a + t * (b - a); }",
       {{"double", "double", "float"}},
       "[](double graft_x0, double graft_x1, float graft_x2) { return mix<>(graft_x0, graft_x1, graft_x2); }"},
      {"namespace n { template <class T, int N = 2> __device__ T f(const T x = {}) { return N * x; } }",
       {{"int"}},
       "[](int graft_x0) { return n::f<>(graft_x0); }"},
      {"template <class T> __device__ void f(T x, T& low, T& high) { low = high = x; }",
       {{"float"}},
       "[](float graft_x0, float& graft_x1, float& graft_x2) { return f<>(graft_x0, graft_x1, graft_x2); }"},
      {"template <class T, class U> __device__ void f(T x, U& y) { y = x; }",
       {{"float"}, {"double"}},
       "[](float graft_x0, double& graft_x1) { return f<>(graft_x0, graft_x1); }"},
      {"template <class T, class S> __device__ T f(T x, const S& s, graft::Index i) { return s(x, i); }",
       {{"float"}, {}, "Scale"},
       "[](float graft_x0, const Scale& graft_x1, graft::Index graft_x2) "
       "{ return f<>(graft_x0, graft_x1, graft_x2); }"},
      {"template <class T> __device__ T f(T x, const T& s) { return s * x; }",
       {{"float"}},
       "[](float graft_x0, const float& graft_x1) { return f<>(graft_x0, graft_x1); }"},
      {"template <class T> __device__ void f(T x, graft::InOut<T> y) { y += x; }",
       {{"float"}},
       "[](float graft_x0, float&& graft_x1) { return f<>(graft_x0, static_cast<float&&>(graft_x1)); }"},
      {"template <class... T> __device__ auto sum(T... x) { return (x + ...); }",
       {{"float", "int", "int"}},
       "[](float graft_x0, int graft_x1, int graft_x2) { return sum<>(graft_x0, graft_x1, graft_x2); }"},
      {"template <class R, class T> __device__ R convert(T x) { return R(x); }",
       {{"float"}},
       "[](float graft_x0) { return convert<int>(graft_x0); }",
       "convert<int>"},
      {"template <class T> __device__ T f(T x, unsigned int n) { return n * x; }",
       {{"float", "unsigned int"}},
       "[](float graft_x0, unsigned int graft_x1) { return f<>(graft_x0, graft_x1); }"},
      {"template <template <class> class C, class T> __device__ T f(C<T> x) { return x.value; }",
       {{"Cell<float>"}},
       "[](Cell<float> graft_x0) { return f<>(graft_x0); }"},
  };
  for (const EntryRow& row : rows) EXPECT_EQ(instance(row.text, row.types, row.wanted).entry, row.entry) << row.text;
}

TEST(Generic, LambdasHaveTheTypesInPlaceOfAuto) {
  const auto text = [](const std::string& lambda, const GivenTypes& types) { return instance(lambda, types).text; };
  EXPECT_EQ(text("[](auto x) { return x * x; }", {{"float"}}), "[](float x) { return x * x; }");
  EXPECT_EQ(
      text("#include \"auto.h\"\n[] (auto/*auto*/x,\n  const auto& s, auto&y, int n) -> auto { auto z = x; y = z; }",
           {{"unsigned int", "int"}, {"double", "bool"}, "Scale"}),
      "#include \"auto.h\"\n[] (unsigned int/*auto*/x,\n  const Scale& s, bool&y, int n) -> auto { auto z = x; y = "
      "z; }");
  EXPECT_EQ(text("[](au\\\nto x) { return x; }", {{"float"}}).find("float"), 3u);
  EXPECT_EQ(text("[](const auto x, auto) { return x; }", {{"float", "int"}}), "[](const float x, int) { return x; }");
}

TEST(Generic, OutputsHaveTheirTypesWhereTheTextShowsThem) {
  struct Row {
    std::string text;
    std::vector<std::string> outputs;
  };
  const std::vector<Row> rows = {
      {"template <class T> __device__ T f(T x) { return x; }", {"float"}},
      {"template <class T> __device__ auto f(T x) { return 2 * x; }", {""}},
      {"template <class T> __device__ auto f(T x) -> double { return x; }", {"double"}},
      {"template <class T> __device__ auto f(T x, T& y) { y = x; }", {"float"}},
      {"template <class T> __device__ int f(T x, T& y) { y = x; return 1; }", {"int", "float"}},
      {"template <class T> __device__ graft::Store f(T x, T& y) { y = x; return graft::Store(x > 0); }", {"float"}},
      {"[](auto x) { return x; }", {""}},
      {"[](auto x) -> bool { return x > 0; }", {"bool"}},
      {"[](auto x) { if (x > 0) return; }", {}},
  };
  for (const Row& row : rows) EXPECT_EQ(instance(row.text, {{"float"}}).outputs, row.outputs) << row.text;
}

TEST(Generic, OtherCallbacksAreNone) {
  const auto is_generic = [](const std::string& text, const std::string& entry = {}) {
    const std::optional<GenericFunction> function = find_function(text, entry);
    return function && function->is_generic;
  };
  EXPECT_FALSE(is_generic("__device__ float f(float x) { return x; }"));
  EXPECT_FALSE(is_generic("[](float x) { return x; }"));
  EXPECT_FALSE(is_generic("template <class T> __device__ T f(T x) { return x; }", "f<float>"));
  EXPECT_FALSE(is_generic("struct F { template <class T> __device__ T operator()(T x) const { return x; } };", "F{}"));
  EXPECT_FALSE(is_generic("__device__ float f(float x) { return x; } __device__ int f(int x) { return x; }", "f"));
  EXPECT_FALSE(is_generic("not C++ at all ("));
  EXPECT_FALSE(is_generic(""));
  EXPECT_FALSE(is_generic("[](auto... x) { return (x + ...); }"));
  EXPECT_FALSE(is_generic("[](auto* x) { return *x; }"));
  EXPECT_FALSE(is_generic("[]<class T>(T x) { return x; }"));
  EXPECT_TRUE(is_generic("[](float x, auto y) { return x + y; }"));
  EXPECT_TRUE(is_generic("__device__ auto f(auto x) { return x; }"));
}

struct ErrorRow {
  std::string text;
  GivenTypes types;
  ErrorCode code;
  std::string message;
};

TEST(Generic, TypesThatCannotBeAreRefused) {
  const std::vector<ErrorRow> rows = {
      {"template <class R, class T>\n__device__ R convert(T x) { return R(x); }",
       {{"float"}},
       ErrorCode::AmbiguousEntry,
       "callback.cu(2): the template parameter R of `convert` occurs in none of its parameters, so no types of arrays "
       "determine it"},
      {"template <class T> __device__ T f(T a, T b) { return a + b; }",
       {{"float"}},
       ErrorCode::SignatureMismatch,
       "`f` in callback.cu takes 2 inputs, and 1 type was given: (float)"},
      {"[](auto a) { return a; }",
       {{"float", "int"}},
       ErrorCode::SignatureMismatch,
       "the lambda in callback.cu takes 1 input, and 2 types were given: (float, int)"},
      {"template <class T> __device__ T f(T a, int n) { return n * a; }",
       {{"float", "float"}},
       ErrorCode::SignatureMismatch,
       "`f` in callback.cu has a parameter of the type int, for which float was given"},
      {"template <class T, class U> __device__ void f(T a, U& b) { b = a; }",
       {{"float"}},
       ErrorCode::AmbiguousEntry,
       "`f` in callback.cu: the type U of an output does not follow from the types of the inputs"},
      {"[](auto a, const auto& s) { return s(a); }",
       {{"float"}},
       ErrorCode::AmbiguousEntry,
       "the lambda in callback.cu: the type auto of its state does not follow from the types of the inputs"},
      {"template <class T> __device__ T f(T a) { return a; }",
       {{"float"}, {}, "int"},
       ErrorCode::SignatureMismatch,
       "`f` in callback.cu has no state, for which int was given"},
      {"template <class T> __device__ T f(T a) { return a; }",
       {{"float"}, {"float", "float"}},
       ErrorCode::SignatureMismatch,
       "`f` in callback.cu has 1 output, and 2 types were given: (float, float)"},
  };
  for (const ErrorRow& row : rows) {
    const Error error = error_of([&] { instance(row.text, row.types); });
    EXPECT_EQ(error.code(), row.code) << row.text;
    EXPECT_EQ(error.message(), row.message) << row.text;
    EXPECT_FALSE(error.remedy().empty()) << row.text;
  }
}

TEST(Generic, AnEntrySaysWhatItIsAnInstanceOf) {
  const auto words =
      read_instance("[](double graft_x0, Pair<int, 2>& graft_x1) { return n::f<>(graft_x0, graft_x1); }");
  ASSERT_TRUE(words);
  EXPECT_EQ(words->name, "n::f");
  EXPECT_EQ(words->types, "double, Pair<int, 2>&");
  for (const char* other : {"", "f", "f<float>", "Scale{2}", "[](float x) { return f(x); }"})
    EXPECT_FALSE(read_instance(other)) << other;
  EXPECT_EQ(called_function("[](double graft_x0) { return n::f<>(graft_x0); }"), "n::f");
  EXPECT_EQ(called_function("[](double graft_x0) { return convert<int>(graft_x0); }"), "convert<int>");
  EXPECT_EQ(called_function("scale<float>"), "scale<float>");
}

// A stranger's text must not take the square of its size in the caller's process.
TEST(Generic, ManyParametersAreReadInLinearTime) {
  constexpr std::size_t kMany = 30'000;
  std::string lambda = "[](auto x0", list = "template <class T0", function = "__device__ T0 f(T0 x0";
  for (std::size_t i = 1; i < kMany; ++i) {
    const std::string number = std::to_string(i);
    lambda += ", auto x" + number;
    list += ", class T" + number;
    function += ", T" + number + " x" + number;
  }
  lambda += ") { return x0; }";
  const std::string text = list + "> " + function + ") { return x0; }";
  const GivenTypes types{std::vector<std::string>(kMany, "float")};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_NE(instance(lambda, types).text.find("float x29999) { return x0; }"), std::string::npos);
  EXPECT_NE(instance(text, types).entry.find("float graft_x29999) { return f<>(graft_x0, "), std::string::npos);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace graft::reflect
