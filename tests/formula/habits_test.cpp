// Formulas as people type them who come from NumPy, C, MATLAB or spreadsheets: each works, or is refused in words that
// tell what to type instead.
#include <gtest/gtest.h>

#include <string_view>

#include "formula/formula_text.hpp"

namespace graft::test {
namespace {

constexpr const char* kHabits = "f32 x, y, i32 n, bool mask, c64 z; f32 a, b";

// ---- thirty formulas and more of several fields that work as they are typed ----

TEST(FormulaHabits, Work) {
  constexpr const char* kFormulas[] = {
      // finance
      "a * (1 + b) ** n",
      "max(x - a, 0)",
      "(log(x / y) + (a + b**2 / 2)) / b",
      "0.5 * (1 + erf(x / sqrt(2)))",
      "x / y - 1",
      "exp(-a * x) * 1e4",
      // audio
      "20 * log10(abs(x) + 1e-9)",
      "10 ** (x / 20)",
      "tanh(a * x)",
      "0.5 - 0.5 * cos(2 * pi * n / 1024)",
      "sin(2*pi*440*x)",
      "clamp(x, -1.0, 1.0)",
      // images
      "0.299*x + 0.587*y + .114*a",
      "x ** (1 / 2.2)",
      "x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4",
      "u8(255 * x)",
      "1. - x",
      // physics
      "exp(-x**2/2)/sqrt(2*pi)",
      "hypot(x, y)",
      "abs(z)**2",
      "x*cos(a) - y*sin(a)",
      "1 / (exp(x) - 1)",
      "exp(-(x - a)**2 / (2 * b**2))",
      // statistics
      "(x - a) / b",
      "log1p(exp(x))",
      "isnan(x) ? a : x",
      "x < a || x > b",
      // machine learning
      "1 / (1 + exp(-x))",
      "x * sigmoid(x)",
      "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))",
      "x > 0 ? x : 0.01 * x",
      // integers and masks
      "n // 2 % 7",
      "n % 2 == 0",
      "mask * x",
      "(x > 0) * x",
      "!mask",
      "-n ** 2",
  };
  for (const char* text : kFormulas) EXPECT_NO_THROW(formula(text, kHabits)) << text;
}

// ---- those that are refused ----

struct Refused {
  std::string_view text;
  std::string_view near;  // the words at the mistake
  std::string_view said;  // with "did you mean" and the suggestion
};

constexpr std::string_view kOfArray =
    " is of a whole array, and a formula computes one element; a reduction computes sums and extremes of arrays";

constexpr Refused kRefused[] = {
    // Modules, and functions by NumPy's names.
    {"np.where(x > 0, x, 0)", "np.where", "functions have no point in their names; did you mean `select(...)`?"},
    {"np.exp(-x**2/2)/sqrt(2*pi)", "np.exp", "functions have no point in their names; did you mean `exp(...)`?"},
    {"math.sqrt(x)", "math.sqrt", "functions have no point in their names; did you mean `sqrt(...)`?"},
    {"np.maximum(x, 0)", "np.maximum", "functions have no point in their names; did you mean `max(...)`?"},
    {"np.clip(x, 0, 1)", "np.clip", "functions have no point in their names; did you mean `clamp(...)`?"},
    {"np.square(x)", "np.square", "functions have no point in their names; did you mean `x^2`?"},
    {"np.pi * x", "np.pi", "`np` is not known here; did you mean `pi`?"},
    {"where(x > 0, x, 0)", "where", "`where` is not known here; did you mean `select`?"},
    {"maximum(x, 0)", "maximum", "`maximum` is not known here; did you mean `max`?"},
    {"arcsin(x)", "arcsin", "`arcsin` is not known here; did you mean `asin`?"},
    {"mod(x, 2)", "mod", "`mod` is not known here; did you mean `x % y`?"},
    {"logical_and(x > 0, y > 0)", "logical_and", "`logical_and` is not known here; did you mean `x && y`?"},
    {"np.float32(n)", "np.float32", "functions have no point in their names; did you mean `f32(...)`?"},
    {"radians(x)", "radians", "`radians` is not known here; did you mean `x * pi / 180`?"},
    {"log(x, 2)", "log", "`log` takes 1 argument, and has 2; did you mean `log(x) / log(b)`?"},
    {"round(x, 2)", "round", "`round` takes 1 argument, and has 2; did you mean `round(x * 100) / 100`?"},
    {"clip(x, min=0, max=1)", "=", "the arguments of functions have no names in a formula; did you mean `==`?"},
    // Whole arrays.
    {"abs(x).max()", ".max", "`max`+"},
    {"x.sum()", "x.sum", "`sum`+"},
    {"(x - x.mean()) / x.std()", "x.mean", "`mean`+"},
    {"np.sum(x)", "np.sum", "`sum`+"},
    {"x / sum(x)", "sum", "`sum`+"},
    {"max(x)", "max",
     "`max` takes 2 arguments or more, and has 1: a formula computes one element, and a reduction computes the "
     "extremes of arrays"},
    {"x[0]", "[", "`[` is no part of a formula, which sees one element of each array: write its name alone"},
    {"x @ y", "@", "`@` is the product of matrices, and a formula computes one element"},
    {"x.T", "x.T", "`x` is no struct, and has no fields"},
    // Members of values.
    {"z.real", "z.real", "`z` is no struct, and has no fields; did you mean `real(z)`?"},
    {"z.conj()", "z.conj", "values have no methods in a formula; did you mean `conj(...)`?"},
    {"(z * z).imag", ".imag", "values have no methods in a formula; did you mean `imag(...)`?"},
    {"x.astype(np.float32)", "x.astype", "values have no methods in a formula; did you mean `f32(...)`?"},
    {"x.clip(0, 1)", "x.clip", "values have no methods in a formula; did you mean `clamp(...)`?"},
    // Words of Python.
    {"x if x > 0 else 0", "if", "`if` is no operator of formulas; did you mean `c ? x : y`?"},
    {"x > 0 and y > 0", "and", "`and` is no operator of formulas; did you mean `&&`?"},
    {"x > 0 or y > 0", "or", "`or` is no operator of formulas; did you mean `||`?"},
    {"not mask", "not", "`not` is no operator of formulas; did you mean `!`?"},
    {"not (x > 0)", "not", "`not` is not known here; did you mean `!`?"},
    {"lambda x: x", "lambda", "`lambda` begins no formula, which is one expression"},
    {"return x", "return", "`return` begins no formula, which is one expression"},
    {"x is y", "is", "`is` is no operator of formulas; did you mean `==`?"},
    {"n in (1, 2)", "in", "`in` is no operator of formulas; did you mean `x == a || x == b`?"},
    {"for n in x", "for", "`for` is of loops, which formulas do not have"},
    {"mask == True", "True", "`True` is not known here; did you mean `bool(1)`?"},
    {"mask ? False : x", "False", "`False` is not known here; did you mean `bool(0)`?"},
    {"x == None", "None", "`None` is no number"},
    {"0 < x < 1", "<",
     "comparisons in a row mean different things to different people; did you mean `a < b && b < c`?"},
    {"IF(x > 0, x, 0)", "IF", "`IF` is not known here; did you mean `select`?"},
    // Operators.
    {"~mask", "~", "`~` is no part of a formula; did you mean `!`?"},
    {"(x > 0) & (y > 0)", "&", "`&` is no part of a formula; did you mean `&&`?"},
    {"(x > 0) | (y > 0)", "|", "`|` is no part of a formula; did you mean `||`?"},
    {"n << 2", "<<", "`<<` is no part of a formula; did you mean `* 2 ^ n`?"},
    {"n >> 1", ">>", "`>>` is no part of a formula; did you mean `// 2 ^ n`?"},
    {"x <> y", "<>", "`<>` is no part of a formula; did you mean `!=`?"},
    {"x => y", "=>", "`=>` is no part of a formula; did you mean `>=`?"},
    {"x .* y", ".*", "`.*` is no part of a formula; did you mean `*`?"},
    {"x.^2", ".^", "`.^` is no part of a formula; did you mean `^`?"},
    {"x += 1", "+=", "`+=` changes a variable, and a formula changes none: write the new value alone"},
    {"x **= 2", "**=", "`**=` changes a variable, and a formula changes none: write the new value alone"},
    {"x++", "+", "the formula ends too early; did you mean `x + 1`?"},
    {"y--", "-", "the formula ends too early; did you mean `y - 1`?"},
    // Numbers and texts.
    {"1j * x", "1j", "in `1j` a letter follows a number; did you mean `complex(0, 1)`?"},
    {"2x", "2x", "in `2x` a letter follows a number; did you mean `2 * x`?"},
    {"1_000 * x", "1_000", "in `1_000` a letter follows a number; did you mean `1000`?"},
    {"1.0f * x", "1.0f", "in `1.0f` a letter follows a number; did you mean `1.0`?"},
    {"n % 0b101", "0b101", "numbers are decimal; did you mean `5`?"},
    {"n % 0B101", "0B101", "numbers are decimal; did you mean `5`?"},
    {"x == 'a'", "'", "`'` begins a text, and a formula has only numbers"},
    {"x # twice", "#", "`#` is no part of a formula, which has no comments"},
    {"\xce\xb1 * x", "?", "the byte 0xce is no ASCII, as formulas are"},
};

TEST(FormulaHabits, AreRefusedInWordsThatHelp) {
  for (const Refused& row : kRefused) {
    const Error error = error_of_formula(row.text, kHabits);
    ASSERT_EQ(error.diagnostics().size(), 1u) << row.text;
    std::string said(row.said);
    if (said.ends_with('+')) said = said.substr(0, said.size() - 1) + std::string(kOfArray);
    EXPECT_EQ(error.diagnostics()[0].text, said) << row.text;
    EXPECT_EQ(error.diagnostics()[0].near, row.near) << row.text;
  }
}

// The words of elsewhere are names like others.
TEST(FormulaHabits, TakeNoNameFromVariables) {
  EXPECT_EQ(written("sum + lambda * True", "f32 sum, lambda, True"), "  return (graft_x0 + (graft_x1 * graft_x2));\n");
  EXPECT_EQ(error_of_formula("T + 1", "f32 t1").diagnostics()[0].text, "`T` is not known here");
  EXPECT_EQ(error_of_formula("lambdo + 1", "f32 lambda").diagnostics()[0].suggestion, "lambda");
}

}  // namespace
}  // namespace graft::test
