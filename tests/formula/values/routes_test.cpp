// Formulas on every route, without a GPU: kernels are built, without a word of the compilers, and the largest formulas
// that the bounds allow are built in the time that docs/formulas.md states.
#include <gtest/gtest.h>

#include <chrono>
#include <complex>
#include <functional>
#include <string>

#include "formula/functions.hpp"
#include "formula/parser.hpp"
#include "formula/typing.hpp"
#include "graft/graft.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

constexpr std::array kRoutes = {Route::Program, Route::Lto, Route::Ptx, Route::Host};

constexpr const char* kVariables =
    "bool m, i8 i8_, i16 i16_, i32 i, i64 k, u8 u, u32 u32_, u64 u64_, f16 h, bf16 b, f32 x, f32 y, f64 d, c64 z, "
    "c128 w; f32 p";

Image built_of(const Callback& callback, Route route) {
  static Engine engine([] {
    EngineOptions options;
    options.cache.policy = CachePolicy::Off;
    return options;
  }());
  Options options;
  options.routes.required = route;
  return build(engine, callback, Architecture(90), options);
}
Image built(std::string_view text, Route route) {
  return built_of(formula(text, kVariables), route);
}

std::string replaced(std::string text, std::string_view name) {
  for (std::size_t at = text.find('@'); at != text.npos; at = text.find('@')) text.replace(at, 1, name);
  return text;
}

// Formulas with all operators, casts and functions, of each type.
std::vector<std::string> formulas_of_all_types() {
  std::vector<std::string> all;
  for (const char* name : {"i8_", "i16_", "i", "k", "u", "u32_", "u64_"})
    for (const char* text :
         {"-@ + @ * 2 - @ // 3 % (@ + 1) + @ ^ 2 + @ ^ @", "max(@, 1) + min(@, 2, 3) + clamp(@, 1, 9)",
          "abs(@) + sign(@) + relu(@) + step(1, @) + norm(@) + floor(@)", "@ / 2 + sqrt(@) + x",
          "i8(@) + i16(@) + i32(@) + i64(@)", "u8(@) + u16(@) + u32(@) + u64(@)",
          "f16(@) + bf16(@) + f32(@) + f64(@) + c64(@)", "bool(@) && !@ || @ < 3 ? @ : 7"})
      all.push_back(replaced(text, name));
  for (const char* value : {"h", "x", "d", "z", "w"}) {
    const bool is_complex = *value == 'z' || *value == 'w';
    std::string calls = "0";
    for (const formulas::Function& function : formulas::functions()) {
      if (is_complex && function.complex.empty()) continue;
      if (function.rule == formulas::Rule::Question) continue;
      std::string arguments = value;
      for (int k = 1; k < function.least; ++k) arguments += std::string(", ") + value;
      calls += "+" + std::string(function.name) + "(" + arguments + ")";
    }
    all.push_back(calls);
  }
  all.emplace_back("isnan(x) || isinf(d) || isfinite(h)");
  all.emplace_back(
      "o0 = x ^ 3 + x ^ -2 + x ^ 0.5; o1 = o0 // y + x % y; o2 = p * o1; o3 = z == w; o4 = z ^ 3 * x / z / 2");
  return all;
}

TEST(FormulaRoutes, EveryRouteBuildsEveryOperatorAndFunction) {
  const std::vector<std::string> all = formulas_of_all_types();
  for (std::size_t k = 0; k < all.size(); ++k)
    for (const Route route : in_turn(kRoutes, k)) {
      try {
        EXPECT_EQ(built(all[k], route).report().compiler_log, "") << all[k];
      } catch (const Error& error) {
        ADD_FAILURE() << all[k] << "\n" << error.what();
      }
    }
}

// A complex number that is aligned as its parts is a struct of them.
TEST(FormulaRoutes, EveryRouteBuildsMembersOfStdComplex) {
  const std::vector<Variable> parameters = {
      {"a", "i8"}, {"z", element_type<std::complex<float>>()}, {"p", {{"w", element_type<std::complex<double>>()}}}};
  const Callback callback = formula("z * x + p.w + a", {{"x", "f32"}}, parameters);
  for (const Route route : kRoutes) {
    const Image image = built_of(callback, route);
    EXPECT_EQ(image.report().compiler_log, "") << name(route);
    EXPECT_EQ(image.signature().state(), Parameters(parameters).state().type) << name(route);
  }
}

std::string repeated(std::string text, int count, const std::function<std::string(int)>& next) {
  for (int k = 0; k < count; ++k) text += next(k);
  return text;
}

// These took the most time of some thirty such formulas: at most 3.1 s and 300 MiB, on two cores. The bound here is for
// a machine that does other work too.
TEST(FormulaRoutes, TheLargestFormulasAreBuilt) {
  const auto number = [](int k) { return std::to_string(k + 2); };
  const std::vector<std::string> worst = {
      repeated("d", 1023, [&](int k) { return "+d^" + number(k) + ".5"; }),
      repeated("x", 1023, [&](int k) { return "+x^" + number(k) + ".5"; }),
      repeated("z", 510, [&](int k) { return "+(z*" + number(k) + ")^x"; }),
      repeated("w", 2047, [](int k) { return k % 2 != 0 ? "*z" : "*w"; }),
      repeated("w", 2047, [](int k) { return k % 2 != 0 ? "/z" : "/w"; }),
      repeated("d", 2047, [](int k) { return k % 2 != 0 ? "//x" : "//y"; }),
      repeated("k", 1023, [&](int k) { return "+k^" + number(k); }),
      repeated("d", 255, [&](int k) { return "+lgamma(d*" + number(k) + ")"; }),
      repeated("x", 2047, [](int) { return "+x"; }),
  };
  for (std::size_t k = 0; k < worst.size(); ++k)
    for (const Route route : in_turn(kRoutes, k)) {
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_NO_THROW(built(worst[k], route)) << worst[k].substr(0, 20);
      EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20)) << worst[k].substr(0, 20);
    }
}

// A formula is small text and quickly read: 10 us for this one, with its callback, on one core. Its tree and types must
// take less than 50 us, also in a build without optimisation. The least of many times is that of a moment in which the
// machine did nothing else.
TEST(FormulaRoutes, AFormulaIsReadInMicroseconds) {
  const FormulaVariables all = formula_variables("f32 x; f32 a, b");
  double best = 1e9;
  for (int round = 0; round < 2'000; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const formulas::Tree tree = formulas::parse("a * max(x, 0) + b");
    formulas::add_types(tree, {all.inputs, all.parameters, {}});
    best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count());
  }
  EXPECT_LT(best, 50);
}

// The closed mode takes formulas, which need it on no route. S23 of tests/scenarios/security builds one in it.
TEST(FormulaRoutes, TextsHaveNoWordThatTheClosedModeRefuses) {
  const std::string text = formula("a * max(x, 0) + x // 3 + abs(z)", "f32 x, c64 z; f32 a").text();
  for (const char* word : {"#", "%:", "asm", "import", "module", "\\", "??"})
    EXPECT_EQ(text.find(word), text.npos) << word;
}

}  // namespace
}  // namespace graft::test
