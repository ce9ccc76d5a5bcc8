// The expressions of weak parameters: which parts of a formula they are, their values, the types that they meet, and
// what is refused.
#include "formula/weak.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "formula/formula_text.hpp"

namespace graft::test {
namespace {

using Texts = std::vector<std::string>;

const Texts kWeak = {"a", "b", "n", "k", "f", "w"};

formulas::WeakExpressions split(const formulas::Tree& tree, const FormulaVariables& variables,
                                const std::vector<FormulaFunction>& functions = {}) {
  return {tree, {variables.inputs, variables.parameters, functions}, kWeak};
}

// The texts of a formula's weak expressions, and what is left of it.
Texts split_texts(std::string_view text, std::string_view variables = "f32 x, y, bool m",
                  const std::vector<FormulaFunction>& functions = {}) {
  const FormulaVariables all = formula_variables(variables);
  const formulas::Tree tree = formulas::parse(text);
  const formulas::WeakExpressions found = split(tree, all, functions);
  Texts texts = {formulas::to_text(found.rest())};
  for (std::size_t k = 0; k < found.size(); ++k) texts.emplace_back(found.text_of(k));
  return texts;
}

TEST(WeakExpressions, AreTheLargestPartsOfWeakParametersAndLiterals) {
  EXPECT_EQ(split_texts("a * x + b"), (Texts{"((a * x) + b)", "a", "b"}));
  EXPECT_EQ(split_texts("x * (a - b)"), (Texts{"(x * a - b)", "a - b"}));
  EXPECT_EQ(split_texts("a ^ 2 / (2 * b) * x ^ 2"), (Texts{"(a ^ 2 / (2 * b) * (x ^ 2))", "a ^ 2 / (2 * b)"}));
  EXPECT_EQ(split_texts("x + a + b"), (Texts{"((x + a) + b)", "a", "b"}));
  EXPECT_EQ(split_texts("x + (a + b)"), (Texts{"(x + a + b)", "a + b"}));
  EXPECT_EQ(split_texts("sqrt(a) * x"), (Texts{"(sqrt(a) * x)", "sqrt(a)"}));
  EXPECT_EQ(split_texts("x * ((a) + (b))"), (Texts{"(x * (a) + (b))", "(a) + (b)"}));
  EXPECT_EQ(split_texts("x > 0 ? a > b ? a : 1 : -b"),
            (Texts{"((x > 0) ? a > b ? a : 1 : -b)", "a > b ? a : 1", "-b"}));
  EXPECT_EQ(split_texts("pi * a * x + e"), (Texts{"((pi * a * x) + e)", "pi * a"}));
  EXPECT_EQ(split_texts("max(x, a, b)"), (Texts{"max(x, a, b)", "a", "b"}));
  EXPECT_EQ(split_texts("max(a, pow(b, 2), select(f, 1, 2)) * x"),
            (Texts{"(max(a, pow(b, 2), select(f, 1, 2)) * x)", "max(a, pow(b, 2), select(f, 1, 2))"}));
  EXPECT_EQ(split_texts("p = a; q = x * (a + 1)"), (Texts{"p = a; q = (x * a + 1)", "a", "a + 1"}));
  EXPECT_EQ(split_texts("x * 2"), (Texts{"(x * 2)"}));
}

TEST(WeakExpressions, EqualOnesAreOne) {
  EXPECT_EQ(split_texts("(a + b) * x + (a+b) * y + a"), (Texts{"(((a + b * x) + (a+b * y)) + a)", "a + b", "a"}));
}

// What has a type of its own is no part of them: variables, which hide constants, fields, outputs, casts but that to
// bool, and the application's functions.
TEST(WeakExpressions, HaveNothingWithAType) {
  EXPECT_EQ(split_texts("f32(a + b) * x"), (Texts{"(f32(a + b) * x)", "a + b"}));
  EXPECT_EQ(split_texts("bool(a) ? x : y"), (Texts{"(bool(a) ? x : y)", "bool(a)"}));
  EXPECT_EQ(split_texts("pi * a", "f32 pi"), (Texts{"(pi * a)", "a"}));
  EXPECT_EQ(split_texts("pi * a", "f32 x; f32 pi"), (Texts{"(pi * a)", "a"}));
  EXPECT_EQ(split_texts("q = e * a; e = 1"), (Texts{"q = e * a; e = 1", "e * a"}));
  EXPECT_EQ(split_texts("e = x; p = e * a"), (Texts{"e = x; p = (e * a)", "a"}));
  EXPECT_EQ(split_texts("sqrt(a)", "f32 x", {{"sqrt", "f32", {"f32"}, ""}}), (Texts{"sqrt(a)", "a"}));
  const Error output = error_of([] { split_texts("a = x; p = 2 * a"); });
  EXPECT_EQ(output.message(), "formula: column 1: `a` is the name of another variable");
}

// A temporary of weak parameters and literals is weak as they are, and one that nothing else names is left out.
TEST(WeakExpressions, PassThroughTemporaries) {
  EXPECT_EQ(split_texts("let t = a * a; x / t"), (Texts{"(x / t)", "t"}));
  EXPECT_EQ(split_texts("let t = a * a; let u = t - 1; x / u + t"), (Texts{"((x / u) + t)", "u", "t"}));
  EXPECT_EQ(split_texts("let t = 2; x * (t * a) + t"), (Texts{"let t = 2; ((x * t * a) + t)", "t * a"}));
  EXPECT_EQ(split_texts("let t = 2; x * (t * a)"), (Texts{"(x * t * a)", "t * a"}));
  EXPECT_EQ(split_texts("let t = x * a; t + b"), (Texts{"let t = (x * a); (t + b)", "a", "b"}));
  EXPECT_EQ(split_texts("let pi = a; x * pi"), (Texts{"(x * pi)", "pi"}));
  const auto message = [](std::string_view text) {
    const formulas::Tree tree = formulas::parse(text);
    const FormulaVariables none;
    return error_of([&] {
             formulas::add_types(split(tree, none).rest(), {none.inputs, none.parameters, {}});
           })
        .message();
  };
  EXPECT_EQ(message("let t = 2; 3"), "formula: column 5: `t` is used by nothing; an output has no `let` before it");
  EXPECT_EQ(message("let t = 2; let t = 3; a * t"), "formula: column 16: `t` is the name of another value");
  EXPECT_EQ(message("let t = 2; t = a * t"), "formula: column 12: `t` is the name of another value");
}

// `&`, `and` and their kind are of conditions alone, which typing knows.
TEST(WeakExpressions, HaveOtherNamesToo) {
  EXPECT_EQ(split_texts("np.sqrt(a) * x", "f32 x", {{"sqrt", "f32", {"f32"}, ""}}),
            (Texts{"(np.sqrt(a) * x)", "np.sqrt(a)"}));
  EXPECT_EQ(split_texts("add(a, arcsin(b)) * x"), (Texts{"(add(a, arcsin(b)) * x)", "add(a, arcsin(b))"}));
  EXPECT_EQ(split_texts("(a > 0) & (b > 0) ? x : y"), (Texts{"((a > 0 & b > 0) ? x : y)", "a > 0", "b > 0"}));
  EXPECT_EQ(split_texts("a and b ? x : y"), (Texts{"((a && b) ? x : y)", "a", "b"}));
  EXPECT_EQ(split_texts("x * (2j * a)"), (Texts{"(x * 2j * a)", "2j * a"}));
  EXPECT_EQ(split_texts("x * (2 * np.pi * a)"), (Texts{"(x * 2 * np.pi * a)", "2 * np.pi * a"}));
}

// Where they meet no input, they count as any value of the inputs' type, or of 64 bits.
TEST(WeakExpressions, AloneHaveATypeThatHoldsTheWhole) {
  const auto type = [](std::string_view text, bool is_wide) {
    const formulas::Tree tree = formulas::parse(text);
    const FormulaVariables all = formula_variables("u8 u");
    const formulas::WeakExpressions found = split(tree, all);
    formulas::Names names{all.inputs, all.parameters, {}};
    names.weak.assign(found.size(), formulas::Type::WeakInteger);
    names.wide.assign(found.size(), is_wide);
    const formulas::TypedTree typed = formulas::add_types(found.rest(), names);
    return std::string(formulas::name(typed.type_of(found.rest().statements.back())));
  };
  EXPECT_EQ(type("u > 9 ? a : 0", false), "u8");
  EXPECT_EQ(type("u > 9 ? a : 0", true), "i64");
  EXPECT_EQ(type("(u > 9 ? a : 0) - 1", false), "i32");
  EXPECT_EQ(type("u * ((u > 9 ? a : 0) - 1)", false), "i32");
  EXPECT_EQ(type("u + a", true), "u8");  // whose values are compared with u8
}

// ---- values ----

using formulas::Constant;

// a = 7, b = 2.5, n = 0, k = -3, f = true, w = 1 + 2i.
std::string value_of(std::string_view text) {
  const FormulaVariables none;
  const formulas::Tree tree = formulas::parse(text);
  const formulas::WeakExpressions found = split(tree, none);
  const Constant values[] = {Constant::of(7),  Constant::of_real(2.5),  Constant::of(0),
                             Constant::of(-3), Constant::of_bool(true), Constant::of_complex({1, 2})};
  const std::vector<Constant> results = found.values(values);
  EXPECT_EQ(results.size(), 1u) << text;
  const Constant& one = results.front();
  return base::format("{} {}", std::string_view("bifc")[static_cast<std::size_t>(one.kind)], formulas::to_text(one));
}

TEST(WeakValues, AreThoseOfPython) {
  const std::pair<const char*, const char*> rows[] = {
      {"a", "i 7"},
      {"b", "f 2.5"},
      {"f", "b 1"},
      {"w", "c 1+2j"},
      {"+f", "i 1"},
      {"f + f", "i 2"},
      {"a - k", "i 10"},
      {"a / 2", "f 3.5"},
      {"a // 2", "i 3"},
      {"k // 2", "i -2"},
      {"k % 2", "i 1"},
      {"b // 1", "f 2"},
      {"-b % 1", "f 0.5"},
      {"(2 ^ 126 - 1 + 2 ^ 126) % (n - 2)", "i -1"},
      {"a ^ 2", "i 49"},
      {"a ^ -1", "f 0.14285714285714285"},
      {"2 ^ k", "f 0.125"},
      {"n ^ n", "i 1"},
      {"n ^ 2", "i 0"},
      {"1 / n", "f inf"},
      {"k / n", "f -inf"},
      {"n / n", "f -nan"},
      {"1.0 // n", "f inf"},
      // Integers have 128 bits, and larger ones are floating-point numbers.
      {"(a * 10000000000) ^ 2", "i 4900000000000000000000"},
      {"(a * 10000000000) ^ 2 // (a * 10000000000)", "i 70000000000"},
      {"2 ^ 126 + n", "i 85070591730234615865843651857942052864"},
      {"2 ^ 127 + n", "f 1.7014118346046923e+38"},
      {"(2 ^ 126 + n) * 2", "f 1.7014118346046923e+38"},
      {"-(2 ^ 126 + n) * 2 + 1", "f -1.7014118346046923e+38"},
      {"2 ^ 200 + n", "f 1.6069380442589903e+60"},
      {"10 ^ 308 * (10 ^ 308 + n)", "f inf"},
      {"(a - 8) ^ 1000001", "i -1"},
      {"multiply(a, power(b, 2))", "f 43.75"},
      {"np.where(f, a, b)", "f 7"},
      {"2j * a", "c 0+14j"},
      {"square(w)", "c -3+4j"},
      {"square(a * 10000000000)", "i 4900000000000000000000"},
      {"deg2rad(180 * a)", "f 21.991148575128552"},
      {"let t = a + 1; t * t", "i 64"},
      // Comparisons, conditions and logic, which leave out what does not count.
      {"a > b", "b 1"},
      {"a == 7.0", "b 1"},
      {"a != a", "b 0"},
      {"nan == nan || n", "b 0"},
      {"b <= k", "b 0"},
      {"b >= 2.5 && f", "b 1"},
      {"!n", "b 1"},
      {"bool(w)", "b 1"},
      {"w == 1 + 2 * complex(0, 1)", "b 1"},
      {"f ? a : b", "f 7"},
      {"n ? a : b", "f 2.5"},
      {"f ? f : a", "i 1"},
      {"n != 0 ? a // n : k", "i -3"},
      {"select(n, a % n, 2)", "i 2"},
      {"n != 0 && a // n > 1", "b 0"},
      {"n == 0 || a // n > 1", "b 1"},
      // Functions.
      {"max(a, k, 9)", "i 9"},
      {"max(a, b)", "f 7"},
      {"min(a, nan, b)", "f nan"},
      {"clamp(a, k, 2)", "i 2"},
      {"abs(k)", "i 3"},
      {"abs(w * w)", "f 5"},
      {"norm(w)", "f 5"},
      {"norm(2 ^ 100 + n)", "f 1.6069380442589903e+60"},
      {"real(w) + imag(w)", "f 3"},
      {"imag(a)", "i 0"},
      {"conj(w)", "c 1-2j"},
      {"complex(a, b)", "c 7+2.5j"},
      {"w * w", "c -3+4j"},
      {"w ^ 2", "c -3+4j"},
      {"w ^ 0", "c 1+0j"},
      {"w / 2", "c 0.5+1j"},
      {"-w", "c -1-2j"},
      {"sqrt(a + 2)", "f 3"},
      {"floor(b)", "f 2"},
      {"round(b)", "f 2"},
      {"floor(a)", "i 7"},
      {"sign(k)", "i -1"},
      {"step(a, k)", "i 0"},
      {"relu(k)", "i 0"},
      {"isnan(b)", "b 0"},
      {"isinf(b / n)", "b 1"},
      {"isfinite(a)", "b 1"},
      {"hypot(a - 4, 4)", "f 5"},
      {"fma(a, b, 1)", "f 18.5"},
      {"lerp(a, 9, b)", "f 12"},
      {"exp(n)", "f 1"},
      {"gamma(a)", "f 720"},
      {"lgamma(a - 6)", "f 0"},
      {"atan2(n, k)", "f 3.141592653589793"},
  };
  for (const auto& [text, value] : rows) {
    const std::string got = value_of(text);
    EXPECT_TRUE(got == value || (std::string_view(value) == "f -nan" && got == "f nan")) << text << " is " << got;
  }
}

// Each function has a value of numbers, so that none is missing in a table.
TEST(WeakValues, OfAllFunctions) {
  for (const formulas::Function& function : formulas::functions()) {
    if (function.rule == formulas::Rule::Power || function.rule == formulas::Rule::Select) continue;
    const std::vector<Constant> reals(function.least, Constant::of_real(0.5));
    EXPECT_TRUE(formulas::compute(function, reals)) << function.name;
    const std::vector<Constant> integers(function.least, Constant::of(1));
    EXPECT_TRUE(formulas::compute(function, integers)) << function.name;
    const std::vector<Constant> complex_numbers(function.least, Constant::of_complex({0.5, 1}));
    EXPECT_EQ(formulas::compute(function, complex_numbers).has_value(), !function.complex.empty()) << function.name;
  }
}

TEST(WeakValues, ThatHaveNoneAreRefused) {
  const auto refused = [](std::string_view text) { return error_of([&] { value_of(text); }); };
  for (const char* const text : {"a // n", "a % n", "f // (n + 0)", "1 + a // n * 2", "n == 0 ? a // n : 1"}) {
    const Error error = refused(text);
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << text;
    EXPECT_NE(error.message().find("divides an integer by zero"), std::string::npos) << error.message();
  }
  EXPECT_EQ(refused("w // 2").message(), "formula: column 3: `//` takes no complex numbers");
  EXPECT_EQ(refused("floor(w)").message(), "formula: column 1: `floor` takes no complex numbers");
  EXPECT_EQ(refused("complex(w, 1)").message(), "formula: column 1: `complex` takes no complex numbers");
  EXPECT_EQ(refused("w < 1").message(), "formula: column 3: complex numbers have no order; did you mean `abs(z)`?");
}

// ---- types ----

// The members of the state, with the types that they have: "a: f32, b: u8".
std::string members_of(std::string_view text, const std::vector<std::string>& weak, const std::vector<Number>& numbers,
                       std::string_view variables = kVariables) {
  const FormulaVariables all = formula_variables(variables);
  const WeakFormula formula(text, all.inputs, weak);
  Texts members;
  const WeakCallback callback = formula.callback(formula.values(numbers));
  for (const Variable& one : callback.members())
    members.push_back(base::format("{}: {}", one.name, formulas::name(formulas::type_of(one.type).value())));
  return base::join(members, ", ");
}

TEST(WeakParameters, TakeTheTypeThatTheyMeet) {
  struct Row {
    const char* text;
    Number a;
    Number c;
    const char* members;
  };
  const Row rows[] = {
      {"a * x + c", 2, 3, "a: f32, c: f32"},
      {"(u8_ + a) * x", 2, 3, "a: u8"},
      {"p = x * a; q = d + c", 2, 3, "a: f32, c: f64"},
      {"i8_ * a", 0.5, 3, "a: f32"},
      {"i * a", 0.5, 3, "a: f64"},
      {"i * a", 2, 3, "a: i32"},
      {"h * a + c * x", 2, 3, "a: f16, c: f32"},
      {"a * x + a * d", 2, 3, "a: f32, a: f64"},
      {"x + a", std::complex<double>(1, 2), 3, "a: c64"},
      {"d + a", std::complex<double>(1, 2), 3, "a: c128"},
      {"i8_ + a", std::complex<double>(1, 2), 3, "a: c64"},
      {"i + a", std::complex<double>(1, 2), 3, "a: c128"},
      {"z + a", 2.5, 3, "a: f32"},
      {"x * a", true, 3, "a: bool"},
      {"x * (a + c)", true, false, "a + c: f32"},
      {"m + a", 2, 3, "a: i32"},
      {"f32(a) + d", 2, 3, "a: f32"},
      {"u8(a) + d", 2.5, 3, "a: u8"},
      {"u8(a) + u8_ * a", 2, 3, "a: u8, a: u8"},
      {"m ? a : c", 2, 3, "a: f64, c: f64"},
      {"x ^ a", 2, 3, "a: f32"},
      {"i ^ a", 2, 3, "a: i32"},
      {"i // a", 2, 3, "a: i32"},
      {"i / a", 2, 3, "a: f64"},
      {"u8_ / a", 2, 3, "a: f32"},
      {"x < a", 2.5, 3, "a: f32"},
      {"max(x, a, u8_)", 2.5, 3, "a: f32"},
      {"abs(m ? a : 1) * x", std::complex<double>(1, 2), 3, "a: c64"},
      {"x", 2, 3, ""},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(members_of(row.text, {"a", "c"}, {row.a, row.c}), row.members) << row.text;
  }
}

TEST(WeakParameters, WithOtherValuesHaveTheSameCallback) {
  const WeakFormula formula("x * (a - b)", {{"x", "f32"}}, {"a", "b"});
  const WeakCallback first = formula.callback(formula.values({100000001, 100000000}));
  EXPECT_EQ(first.callback(), formula.callback(formula.values({3, 2})).callback());
  EXPECT_NE(formula.values({3, 2}).kinds(), formula.values({3, 2.5}).kinds());
  EXPECT_EQ(first.callback(), formula.callback(formula.values({3, 2.5})).callback());  // both are f32
  const WeakFormula integers("i * a", {{"i", "i32"}}, {"a"});
  EXPECT_NE(integers.callback(integers.values({2})).callback(), integers.callback(integers.values({2.5})).callback());
  EXPECT_EQ(error_of([&] { (void)first.parameters(formula.values({3, 2.5})); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { (void)formula.callback(WeakValues()); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([&] { (void)formula.values({1}); }).code(), ErrorCode::InvalidArgument);
}

TEST(WeakParameters, ThatTheirTypeDoesNotHoldAreRefused) {
  struct Row {
    const char* text;
    Number a;
    const char* message;
  };
  const Row rows[] = {
      {"u8_ + a", 300, "`a` is 300, which u8 does not hold"},
      {"u8_ > a", -1, "`a` is -1, which u8 does not hold"},
      {"i * (2 * a)", 1 << 30, "`2 * a` is 2147483648, which i32 does not hold"},
      {"i + a ^ 5", 10'000'000'000, "`a ^ 5` is 100000000000000000000000000000000000000000000000000"},
      {"x * a", 1e39, "`a` is 1e+39, which f32 does not hold"},
      {"x * a", 1e-50, "`a` is 1e-50, which f32 does not hold"},
      {"h + sqrt(a)", 1e12, "`sqrt(a)` is 1e+06, which f16 does not hold"},
      {"z * a", std::complex<double>(1, 1e39), "`a` is 1+1e+39j, which c64 does not hold"},
      {"i ^ a", -1, "`a` is -1, and an integer to a negative power is no integer"},
      {"pow(i, a)", -2, "`a` is -2, and an integer to a negative power is no integer"},
  };
  for (const Row& row : rows) {
    const FormulaVariables all = formula_variables(kVariables);
    const WeakFormula formula(row.text, all.inputs, {"a"});
    const auto made = [&] {
      const WeakValues values = formula.values({row.a});
      return formula.callback(values).parameters(values);
    };
    if (std::string_view(row.text) == "i + a ^ 5") {  // no integer of 128 bits, so a floating-point number
      EXPECT_NO_THROW((void)made());
      continue;
    }
    const Error error = error_of([&] { (void)made(); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument) << row.text;
    EXPECT_EQ(error.message(), row.message) << row.text;
  }
  // Infinite ones and nan are held, and a cast saturates.
  for (const auto& [text, a] :
       std::vector<std::pair<const char*, Number>>{{"x * a", std::numeric_limits<double>::infinity()},
                                                   {"h * a", std::nan("")},
                                                   {"u8(a)", 1e300},
                                                   {"i ^ a", 0}}) {
    const FormulaVariables all = formula_variables(kVariables);
    const WeakFormula formula(text, all.inputs, {"a"});
    const WeakValues values = formula.values({a});
    EXPECT_NO_THROW((void)formula.callback(values).parameters(values)) << text;
  }
}

TEST(WeakParameters, OfWrongNamesAreRefused) {
  const auto code = [](std::vector<std::string> weak, std::vector<Variable> parameters = {}) {
    return error_of([&] { WeakFormula("a * x", {{"x", "f32"}}, std::move(weak), std::move(parameters)); }).code();
  };
  EXPECT_EQ(code({"x"}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({"a", "a"}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({"a"}, {{"a", "f32"}}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({"a b"}), ErrorCode::InvalidArgument);
  const WeakFormula unknown("a * x + foo", {{"x", "f32"}}, {"a"});
  EXPECT_EQ(error_of([&] { (void)unknown.callback(unknown.values({1})); }).message(),
            "formula: column 9: `foo` is not known here; did you mean `floor`?");
  const WeakFormula logarithm("(a + 1) / log(x, a)", {{"x", "f32"}}, {"a"});
  EXPECT_EQ(error_of([&] { (void)logarithm.callback(logarithm.values({1})); }).diagnostics()[0].suggestion,
            "(log(x) / log(a))");
  EXPECT_EQ(error_of([] { WeakFormula("a *", {}, {"a"}); }).code(), ErrorCode::CompileFailed);
}

// ---- bounds ----

TEST(WeakBounds, TheLargestAndDeepestFormulas) {
  // 4,095 tokens, all of them one expression.
  std::string sum = "a";
  for (int k = 0; k < 2046; ++k) sum += k % 2 == 0 ? "+a" : "*a";
  const WeakFormula large(sum, {{"x", "f64"}}, {"a"});
  EXPECT_EQ(large.values({1}).kinds(), "i");
  EXPECT_EQ(large.values({1e300}).kinds(), "f");
  EXPECT_EQ(large.callback(large.values({1})).members().size(), 1u);
  const std::string deep = std::string(199, '(') + "a" + std::string(199, ')');
  EXPECT_EQ(WeakFormula(deep + " * x", {{"x", "f64"}}, {"a"}).values({2}).kinds(), "i");
  std::string powers = "a";
  for (int k = 0; k < 199; ++k) powers += "^a";
  EXPECT_EQ(WeakFormula(powers, {{"x", "f64"}}, {"a"}).values({3}).kinds(), "f");
  EXPECT_EQ(WeakFormula(powers, {{"x", "f64"}}, {"a"}).values({1}).kinds(), "i");
}

TEST(WeakBounds, TheStateIsBounded) {
  const auto members = [](int count) {
    std::string text = "x";
    for (int k = 0; k < count; ++k) base::append(text, " * (a + {})", k);
    const WeakFormula formula(text, {{"x", "f64"}}, {"a"});
    return formula.callback(formula.values({1})).members().size();
  };
  EXPECT_EQ(members(256), 256u);
  EXPECT_EQ(error_of([&] { members(257); }).message(), "the parameters of a formula have more than 2048 bytes");
}

}  // namespace
}  // namespace graft::test
