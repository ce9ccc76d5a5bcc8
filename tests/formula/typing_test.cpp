// The types of formulas, and what is wrong with their names and types.
#include "formula/typing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>

#include "formula/formula_text.hpp"

namespace graft::test {
namespace {

TEST(FormulaTypes, OfSumsAreThoseOfTheTable) {
  const std::pair<const char*, const char*> rows[] = {
      // An integer with a floating-point number takes the latter's type.
      {"i + x", "f32"},
      {"i64_ * x", "f32"},
      {"i + h", "f16"},
      {"u64_ + b", "bf16"},
      {"i + d", "f64"},
      {"m + x", "f32"},
      // Of two floating-point types the wider one; of f16 and bf16, f32.
      {"h + x", "f32"},
      {"b + x", "f32"},
      {"x + d", "f64"},
      {"h + b", "f32"},
      {"h + h", "f16"},
      {"b * b", "bf16"},
      // Two integers as NumPy.
      {"i8_ + i8_", "i8"},
      {"i8_ + i16_", "i16"},
      {"i8_ + u8_", "i16"},
      {"i16_ + u8_", "i16"},
      {"i16_ + u16_", "i32"},
      {"i + u32_", "i64"},
      {"i8_ + u32_", "i64"},
      {"i64_ + u64_", "f64"},
      {"u8_ + u16_", "u16"},
      {"i64_ + u32_", "i64"},
      {"m + i8_", "i8"},
      {"m + m", "i32"},
      {"-m", "i32"},
      // Complex numbers.
      {"z + i", "c64"},
      {"z + x", "c64"},
      {"z + d", "c128"},
      {"z * h", "c64"},
      {"z + w", "c128"},
      // True division.
      {"i8_ / i8_", "f32"},
      {"u16_ / i8_", "f32"},
      {"i / i", "f64"},
      {"i8_ / i", "f64"},
      {"m / m", "f32"},
      {"i / x", "f32"},
      {"i // i", "i32"},
      {"i % u8_", "i32"},
      {"x // i", "f32"},
      // A literal takes the type that it meets.
      {"x * 0.1", "f32"},
      {"h * 0.1", "f16"},
      {"d * 0.1", "f64"},
      {"z * 0.1", "c64"},
      {"i + 1", "i32"},
      {"u8_ * 2", "u8"},
      {"i * 0.5", "f64"},
      {"i8_ * 0.5", "f32"},
      {"i / 2", "f64"},
      {"u8_ / 2", "f32"},
      {"x ^ 2", "f32"},
      {"i ** 2", "i32"},
      {"i ** 0.5", "f64"},
      {"x ^ i", "f32"},
      {"1/3 * x", "f32"},
      {"(m ? 1 : 2) * x", "f32"},
      {"(m ? 1 : 0.5) * h", "f16"},
      {"x * pi", "f32"},
      {"m ? x : 0", "f32"},
      {"m ? u8_ : 0", "u8"},
      {"m ? m : m", "bool"},
      // Comparisons and logic.
      {"x < i", "bool"},
      {"m && x", "bool"},
      {"!x", "bool"},
      {"z == w", "bool"},
      // Functions.
      {"max(i, 0)", "i32"},
      {"max(x, 0)", "f32"},
      {"min(i, x)", "f32"},
      {"max(u8_, i8_, 3)", "i16"},
      {"max(m, 1) * x", "f32"},
      {"max(m, m)", "i32"},
      {"clamp(i, 0, 255)", "i32"},
      {"sqrt(i)", "f64"},
      {"sqrt(u8_)", "f32"},
      {"sqrt(z)", "c64"},
      {"exp(h)", "f16"},
      {"abs(z)", "f32"},
      {"abs(w)", "f64"},
      {"abs(i8_)", "i8"},
      {"abs(m)", "i32"},
      {"complex(x, 1)", "c64"},
      {"complex(d, x)", "c128"},
      {"complex(h, h)", "c64"},
      {"arg(i)", "f64"},
      {"isnan(x)", "bool"},
      {"select(m, i, x)", "f32"},
      {"sqrt(2) * x", "f32"},
      {"floor(i)", "i32"},
      {"lerp(i, i, 0.5)", "f64"},
      {"pow(x, 2)", "f32"},
      {"sign(u32_)", "u32"},
      // Casts.
      {"f64(x)", "f64"},
      {"double(x)", "f64"},
      {"float32(d)", "f32"},
      {"complex128(x)", "c128"},
      {"u8(x)", "u8"},
      {"uint8(300)", "u8"},
      {"f64(0.1) * x", "f64"},
      {"c64(x)", "c64"},
      {"c64(w)", "c64"},
      {"bool(x)", "bool"},
      {"half(x)", "f16"},
  };
  for (const auto& [text, type] : rows) EXPECT_EQ(type_of_formula(text), type) << text;
}

// A literal that meets nothing, and a choice between such ones, take the type of the inputs.
TEST(FormulaTypes, LiteralsAloneTakeTheInputsType) {
  const auto type = [](std::string_view text, std::string_view variables) {
    const FormulaVariables all = formula_variables(variables);
    const formulas::Tree tree = formulas::parse(text);
    const formulas::TypedTree typed = formulas::add_types(tree, {all.inputs, all.parameters, {}});
    return std::string(formulas::name(typed.type_of(tree.statements.back())));
  };
  EXPECT_EQ(type("x > 0 ? 1 : 0", "f32 x"), "f32");
  EXPECT_EQ(type("x > 0 ? 1 : 0", "f16 x"), "f16");
  EXPECT_EQ(type("x > 128 ? 255 : 0", "u8 x"), "u8");
  EXPECT_EQ(type("x > 128 ? 0.5 : 0", "u8 x"), "f32");
  EXPECT_EQ(type("x > 128 ? 0.5 : 0", "i32 x"), "f64");
  EXPECT_EQ(type("m ? 1 : 0", "bool m"), "i32");
  EXPECT_EQ(type("m ? 1.5 : 0", "bool m"), "f32");
  EXPECT_EQ(type("3", "f64 x"), "f64");
  EXPECT_EQ(type("3", ""), "i32");
  EXPECT_EQ(type("0.5", ""), "f32");
  EXPECT_EQ(type("a", "; f64 a"), "f64");
  EXPECT_EQ(type("2", "; f64 a"), "f64");
  EXPECT_EQ(type("abs(z) > 1 ? 1 : 0", "c128 z"), "f64");
  // Choices between integers may need i32 or i64.
  EXPECT_EQ(type("x > 128 ? 1 : -1", "u8 x"), "i32");
  EXPECT_EQ(type("x > 12 ? 1 : -1", "i8 x"), "i8");
  EXPECT_EQ(type("x > 128 ? 1 : -1", "f16 x"), "f16");
  EXPECT_EQ(type("x > 128 ? 256 : 0", "u8 x"), "i32");
  EXPECT_EQ(type("(x > 128 ? 255 : 0) - (x > 200 ? 1 : 0)", "u8 x"), "i32");
  EXPECT_EQ(type("x > 128 ? 4000000000 : 0", "u8 x"), "i64");
  EXPECT_EQ(type("x > 128 ? 4000000000 : 0", "u32 x"), "u32");
  EXPECT_EQ(type("abs(x > 128 ? 1 : -1)", "u8 x"), "i64");
  EXPECT_EQ(type("sqrt(x > 128 ? 1 : 2)", "u8 x"), "f32");
  EXPECT_EQ(type("let t = x > 128 ? 255 : 0; t", "u8 x"), "i32");
  EXPECT_EQ(type("let t = x > 128 ? 255 : 0; t", "f32 x"), "f32");
  EXPECT_EQ(type("x * (x > 3 ? 1 : -1)", "i16 x"), "i16");
  EXPECT_EQ(type("x * (x > 3 ? 1 : -1)", "u8 x"), "i32");
  EXPECT_EQ(type("x * (x > 3 ? 1 : -1)", "u32 x"), "i64");
}

// Beside a literal, a condition counts in i32.
TEST(FormulaTypes, ConditionsCount) {
  const std::pair<const char*, const char*> rows[] = {
      {"2 * m - 1", "i32"},        {"m + 1", "i32"},   {"m ^ 2", "i32"},
      {"max(m, 3)", "i32"},        {"m + 0.5", "f64"}, {"(1 - m) * x", "f32"},
      {"2 * m * u8_", "i32"},      {"m * u8_", "u8"},  {"let t = m; t + 1", "i32"},
      {"u8_ > 2 * m - 1", "bool"},
  };
  for (const auto& [text, wanted] : rows) EXPECT_EQ(type_of_formula(text), wanted) << text;
}

// All orders of the operands give one type, so that no doubles get into a formula of floats.
TEST(FormulaTypes, TheOrderOfOperandsDoesNotMatter) {
  struct Row {
    const char* function;
    std::array<std::string, 3> operands;
    const char* type;
  };
  const Row rows[] = {
      {"fma", {"i", "0.5", "x"}, "f32"},     {"clamp", {"i", "0.5", "x"}, "f32"},
      {"max", {"i64_", "u64_", "x"}, "f32"}, {"lerp", {"i64_", "0.5", "h"}, "f16"},
      {"min", {"u8_", "0.5", "i"}, "f64"},   {"max", {"i8_", "u16_", "u32_"}, "i64"},
      {"max", {"m", "0.5", "u8_"}, "f32"},   {"fma", {"h", "b", "i64_"}, "f32"},
      {"max", {"m", "m", "3"}, "i32"},       {"fma", {"m", "1", "i"}, "f64"},
  };
  for (const Row& row : rows) {
    std::array<std::string, 3> operands = row.operands;
    std::ranges::sort(operands);
    do {
      const std::string text =
          std::string(row.function) + "(" + operands[0] + ", " + operands[1] + ", " + operands[2] + ")";
      EXPECT_EQ(type_of_formula(text), row.type) << text;
    } while (std::ranges::next_permutation(operands).found);
  }
  // The type of a literal alone is that of all inputs, in any order.
  for (const char* inputs : {"i64 a, u64 b, f32 c", "f32 a, i64 b, u64 c", "u64 a, f32 b, i64 c"})
    EXPECT_EQ(formula("3", inputs).text().substr(0, 16), "__device__ float") << inputs;
}

TEST(FormulaTypes, TheTableIsSymmetric) {
  for (const formulas::Type a : formulas::value_types())
    for (const formulas::Type b : formulas::value_types()) {
      EXPECT_EQ(formulas::sum(a, b), formulas::sum(b, a));
      EXPECT_EQ(formulas::sum(formulas::sum(a, b), b), formulas::sum(a, b));
    }
}

TEST(FormulaMistakes, NameColumnAndSuggestion) {
  struct Row {
    const char* text;
    int column;
    const char* message;
    const char* suggestion;
  };
  constexpr Row kRows[] = {
      {"foo", 1, "`foo` is not known here", "floor"},
      {"x + flor(x)", 5, "`flor` is not known here", "floor"},
      {"x + u9_", 5, "`u9_` is not known here", "u8_"},
      {"x(2)", 1, "`x` is no function", ""},
      {"max", 1, "`max` is a function", "max(x, y)"},
      {"f32", 1, "`f32` is a function", "f32(x)"},
      {"clamp(x)", 1, "`clamp` takes 3 arguments, and has 1", ""},
      {"sin()", 1, "`sin` takes 1 argument, and has 0", ""},
      {"sin(x, x)", 1, "`sin` takes 1 argument, and has 2", ""},
      {"max(x)", 1, "`max` takes 2 arguments or more, and has 1", ""},
      {"f32(x, x)", 1, "`f32` takes 1 argument, and has 2", ""},
      {"x.y", 1, "`x` is no struct, and has no fields", ""},
      {"x and d", 3, "`and` of numbers is one of them", "x ? d : x"},
      {"x + not y", 5, "`not` is no operator of formulas", "!(x > 0)"},
      {"ns.sqrt(x)", 1, "values have no methods in a formula", "sqrt(x)"},
      {"z < w", 3, "complex numbers have no order", "abs(z) < abs(w)"},
      {"less(z, w)", 1, "complex numbers have no order", "abs(z) < abs(w)"},
      {"z // 2", 3, "`//` takes no complex numbers", ""},
      {"floor(z)", 1, "`floor` takes no complex numbers", ""},
      {"max(z, 1)", 1, "`max` takes no complex numbers", ""},
      {"f32(z)", 1, "a complex number is no f32", "f32(real(z))"},
      {"i // 0", 3, "an integer is divided by zero", ""},
      {"i % (2 - 2)", 3, "an integer is divided by zero", ""},
      {"1 // 0", 3, "an integer is divided by zero", ""},
      {"u8_ + 256", 7, "`256` is out of the range of u8", "i32(256)"},
      {"u8_ > -1", 7, "`-1` is out of the range of u8", "i32(-1)"},
      {"i * 2147483648", 5, "`2147483648` is out of the range of i32", "i64(2147483648)"},
      {"x * 1e39", 5, "`1e+39` is out of the range of f32", "f64(1e+39)"},
      {"h + 1e5", 5, "`1e+05` is out of the range of f16", "f32(1e+05)"},
      {"h + 65520", 5, "`65520` is out of the range of f16", "f32(65520)"},
      {"h * 1e-8", 5, "`1e-08` is out of the range of f16", "f32(1e-08)"},
      {"b * 1e39", 5, "`1e+39` is out of the range of bf16", "f64(1e+39)"},
      {"x * 1e-50", 5, "`1e-50` is out of the range of f32", "f64(1e-50)"},
      {"d * 1e400", 5, "`1e400` is out of the range of integers of 64 bits, or of f64", ""},
      {"d * 1e-400", 5, "`1e-400` is out of the range of integers of 64 bits, or of f64", ""},
      {"d + 18446744073709551616", 5, "`18446744073709551616` is out of the range", ""},
      {"i ^ -1", 3, "an integer to a negative power is no integer", "f64(i) ^ (-1)"},
      {"y = x; y = 2", 8, "`y` is the name of another value", ""},
      {"x = 2", 1, "`x` is a variable, which a formula does not change", "out = 2"},
      {"y = z2; z2 = x", 5, "`z2` is not known here", ""},
  };
  for (const Row& row : kRows) {
    const Error error = error_of_formula(row.text);
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << row.text;
    ASSERT_EQ(error.diagnostics().size(), 1u) << row.text;
    const Diagnostic& found = error.diagnostics()[0];
    EXPECT_EQ(found.line, 1);
    EXPECT_EQ(found.column, row.column) << row.text;
    EXPECT_TRUE(found.text.starts_with(row.message)) << found.text;
    if (row.suggestion[0] != '\0') {
      EXPECT_EQ(found.suggestion, row.suggestion) << row.text;
    }
    EXPECT_NE(error.message().find(found.text), std::string::npos);
  }
}

TEST(FormulaMistakes, TheMessageIsOneSentence) {
  const Error error = error_of_formula("p * x + foo(x)");
  EXPECT_EQ(error.message(), "formula: column 9: `foo` is not known here; did you mean `floor`?");
  EXPECT_EQ(error.log(), "p * x + foo(x)\n        ^~~");
  EXPECT_EQ(error.diagnostics()[0].near, "foo");
  EXPECT_EQ(error.diagnostics()[0].suggestion, "floor");
}

// A name may be any word, and hides constants.
TEST(FormulaNames, MayBeAnyWord) {
  EXPECT_EQ(written("linux * asm + int", "f32 linux, asm, int"), "  return ((graft_x0 * graft_x1) + graft_x2);\n");
  EXPECT_EQ(written("e * pi", "f32 e"), "  return (graft_x0 * 3.1415927f);\n");
  EXPECT_EQ(written("max(max, f32)", "f32 max, f32"), "  return graft_max_f32(graft_x0, graft_x1);\n");
  EXPECT_EQ(written("graft_x1 - __device__", "f32 graft_x1, __device__"), "  return (graft_x0 - graft_x1);\n");
}

}  // namespace
}  // namespace graft::test
