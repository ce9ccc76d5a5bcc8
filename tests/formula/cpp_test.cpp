// Formulas as people paste them from kernels in C++, such as the bodies of CuPy's ElementwiseKernel: each is refused in
// words that tell what to type instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "formula/elsewhere.hpp"
#include "formula/formula_text.hpp"
#include "formula/functions.hpp"
#include "formula/hints.hpp"

namespace graft::test {
namespace {

constexpr const char* kVariablesOfKernel = "f32 x, y, i32 n, bool mask, f64 d; f32 a, b";

Diagnostic refusal_of(std::string_view text) {
  return error_of_formula(text, kVariablesOfKernel).diagnostics().at(0);
}

struct Pasted {
  std::string_view text;
  std::string_view near;
  std::string_view suggestion;  // empty if there is none
  std::string_view said;        // a part of the message
};

// Each suggestion is a formula of the same variables.
void check(const Pasted& row) {
  const Diagnostic found = refusal_of(row.text);
  EXPECT_EQ(found.near, row.near) << row.text;
  EXPECT_EQ(found.suggestion, row.suggestion) << row.text << ": " << found.text;
  EXPECT_NE(found.text.find(row.said), std::string::npos) << row.text << ": " << found.text;
  EXPECT_TRUE(can_be_typed(row.text, found)) << row.text;
  EXPECT_LE(found.text.size(), 300u) << row.text;
  EXPECT_LE(found.suggestion.size(), formulas::kLongestSuggestion + 2) << row.text;
}

void check_formula(std::string_view text) {
  if (text.empty()) return;
  EXPECT_NO_THROW(formula(text, kVariablesOfKernel)) << text;
}

TEST(FormulaFromCpp, VariablesOfItsOwnHaveLet) {
  constexpr std::string_view kSaid = "a variable, which is `let ";
  constexpr Pasted kRows[] = {
      {"int v = x + 1; v * 2", "int v", "let v = i32(x + 1); v * 2", kSaid},
      {"T v = x - y; v * v", "T v", "let v = x - y; v * v", kSaid},
      {"float v = x - y; v * v", "float v", "let v = x - y; v * v", kSaid},
      {"const float v = x - y;\n  z = v * v;\n", "const float v", "let v = x - y; z = v * v", kSaid},
      {"auto v = x - y; z = v * v", "auto v", "let v = x - y; z = v * v", kSaid},
      {"double v = x; v * v", "double v", "let v = f64(x); v * v", kSaid},
      {"const unsigned char v = x; v + 1", "const unsigned char v", "let v = u8(x); v + 1", kSaid},
      {"uint8_t v = x; v + 1", "uint8_t v", "let v = u8(x); v + 1", kSaid},
      {"T v = x; T w = y; v * w", "T v", "let v = x; let w = y; v * w", kSaid},
      {"z = x; T v = y; w = v + 1", "T v", "z = x; let v = y; w = v + 1", kSaid},
      {"T v = x - y; if (v > 0) z = v; else z = 0;", "T v", "let v = x - y; z = v > 0 ? v : 0", kSaid},
      {"T v; v = x; z = v", "T v", "", "`T v` declares a variable, which is `let v = ...` in a formula"},
      {"T x", "T x", "", kSaid},
      {"float v = x, w = y; v * w", "float v", "", kSaid},
      {"float v = x  # one\n; v", "float v", "", kSaid},
      {"float v = x // one\n; v", "float v", "", kSaid},
      {"float v = x +; v", "float v", "", kSaid},
      {"T v = x; v = v * 2; z = v", "T v", "", kSaid},
      {"T v = x; z = y", "T v", "", kSaid},
  };
  for (const Pasted& row : kRows) {
    check(row);
    check_formula(row.suggestion);
  }
  EXPECT_EQ(refusal_of("float\nv = x").text,
            "a formula with several outputs names each of them; did you mean `y = a; z = b`?");
}

TEST(FormulaFromCpp, ChoicesAreExpressions) {
  constexpr std::string_view kSaid = "`if` begins a statement of C++, and a formula chooses by `c ? x : y`; did you";
  constexpr std::string_view kMore = "chooses by `c ? x : y`; for more, write a callback in CUDA C++";
  constexpr Pasted kRows[] = {
      {"if (x > 0) z = x; else z = -x", "if", "z = x > 0 ? x : -x", kSaid},
      {"if (x > 0) {\n  z = x;\n} else {\n  z = -x;\n}\n", "{", "z = x > 0 ? x : -x", kSaid},
      {"if (x > 0) { z = x; } else z = -x;", "{", "z = x > 0 ? x : -x", kSaid},
      {"if (x > 0) z = x; else if (y > 0) z = y; else z = 0;", "if", "z = x > 0 ? x : y > 0 ? y : 0", kSaid},
      {"if (x > 0) { if (y > 0) z = y; else z = 1; } else z = 0;", "{", "z = x > 0 ? y > 0 ? y : 1 : 0", kSaid},
      {"if (x > 0) return x; else return -x;", "if", "x > 0 ? x : -x", kSaid},
      {"if (x > 0) z = x; else z = -x; w = z + 1", "if", "z = x > 0 ? x : -x; w = z + 1", kSaid},
      {"float v = x - y; if (v > 0) { z = v; } else { z = 0; }", "{", "let v = x - y; z = v > 0 ? v : 0", kSaid},
      {"if (x > 0) z = x;", "if", "", kMore},
      {"if (x > 0) { z = x; }", "{", "", kMore},
      {"if (x > 0) z = x; else w = y;", "if", "", kMore},
      {"if (x > 0) { z = x; w = y; } else { z = 0; w = 1; }", "{", "", kMore},
      {"if (x > 0) z = x; else { z = -x; w = y; }", "{", "", kMore},
      {"if (mask ? x : y) z = x; else z = y;", "if", "", kMore},
      {"if (x > 0) z += x; else z = y;", "+=", "", "changes a variable"},
      {"for (int i = 0; i < n; i++) { z = z * x; }", "{", "", "`for` is of loops, which formulas do not have: write"},
      {"while (x > 1) { z = x; }", "{", "", "`while` is of loops"},
  };
  for (const Pasted& row : kRows) {
    check(row);
    check_formula(row.suggestion);
  }
  EXPECT_EQ(written("if(x > 0, x, 0)", "f32 x"), written("x > 0 ? x : 0", "f32 x"));
}

// The functions of CUDA's math API whose names end with f, its intrinsic functions, and what they are here: a function,
// a formula of x, y and z, or one that formulas do not have.
TEST(FormulaFromCpp, FunctionsOfFloatsAreThoseOfTheSameMeaning) {
  constexpr std::string_view kNone = "-";  // formulas do not have it, and no short formula computes it
  constexpr std::string_view kFmax = "isnan(x) || x < y ? y : x";
  constexpr std::string_view kFmin = "isnan(x) || x > y ? y : x";
  constexpr std::string_view kNormal = "0.5 * erfc(-x / sqrt(2))";
  constexpr std::string_view kAway = "trunc(x) + trunc(2 * (x - trunc(x)))";
  constexpr std::string_view kIntegerAway = "i64(trunc(x) + trunc(2 * (x - trunc(x))))";
  struct Row {
    std::string_view call;
    std::string_view suggestion;
  };
  constexpr Row kRows[] = {
      {"acosf(x)", "acos"},
      {"acoshf(x)", "acosh"},
      {"asinf(x)", "asin"},
      {"asinhf(x)", "asinh"},
      {"atan2f(x, y)", "atan2"},
      {"atanf(x)", "atan"},
      {"atanhf(x)", "atanh"},
      {"cbrtf(x)", "cbrt"},
      {"ceilf(x)", "ceil"},
      {"copysignf(x, y)", "copysign"},
      {"cosf(x)", "cos"},
      {"coshf(x)", "cosh"},
      {"cospif(x)", "cos(pi * x)"},
      {"cyl_bessel_i0f(x)", kNone},
      {"cyl_bessel_i1f(x)", kNone},
      {"erfcf(x)", "erfc"},
      {"erfcinvf(x)", kNone},
      {"erfcxf(x)", kNone},
      {"erff(x)", "erf"},
      {"erfinvf(x)", kNone},
      {"exp10f(x)", "10.0 ^ x"},
      {"exp2f(x)", "exp2"},
      {"expf(x)", "exp"},
      {"expm1f(x)", "expm1"},
      {"fabsf(x)", "fabs"},
      {"fdimf(x, y)", "max(x - y, 0)"},
      {"fdividef(x, y)", "x / y"},
      {"floorf(x)", "floor"},
      {"fmaf(x, y, a)", "fma"},
      {"fmaxf(x, y)", kFmax},
      {"fminf(x, y)", kFmin},
      {"fmodf(x, y)", "fmod"},
      {"frexpf(x, n)", kNone},
      {"hypotf(x, y)", "hypot"},
      {"ilogbf(x)", kNone},
      {"j0f(x)", kNone},
      {"j1f(x)", kNone},
      {"jnf(n, x)", kNone},
      {"ldexpf(x, n)", kNone},
      {"lgammaf(x)", "lgamma"},
      {"llrintf(x)", "i64(rint(x))"},
      {"llroundf(x)", kIntegerAway},
      {"log10f(x)", "log10"},
      {"log1pf(x)", "log1p"},
      {"log2f(x)", "log2"},
      {"logbf(x)", kNone},
      {"logf(x)", "log"},
      {"lrintf(x)", "i64(rint(x))"},
      {"lroundf(x)", kIntegerAway},
      {"modff(x)", "f = x - trunc(x); i = trunc(x)"},
      {"nanf(x)", "nan"},
      {"nearbyintf(x)", "rint(x)"},
      {"nextafterf(x, y)", kNone},
      {"norm3df(x, y, a)", "hypot(hypot(x, y), a)"},
      {"norm4df(x, y, a, b)", kNone},
      {"normcdff(x)", kNormal},
      {"normcdfinvf(x)", kNone},
      {"normf(x)", kNone},
      {"powf(x, y)", "pow"},
      {"rcbrtf(x)", "1 / cbrt(x)"},
      {"remainderf(x, y)", kNone},
      {"remquof(x, y, n)", kNone},
      {"rhypotf(x, y)", "1 / hypot(x, y)"},
      {"rintf(x)", "rint"},
      {"rnorm3df(x, y, a)", "1 / hypot(hypot(x, y), a)"},
      {"rnorm4df(x, y, a, b)", kNone},
      {"rnormf(n, x)", kNone},
      {"roundf(x)", kAway},
      {"rsqrtf(x)", "rsqrt"},
      {"scalblnf(x, n)", kNone},
      {"scalbnf(x, n)", kNone},
      {"sincosf(x)", "sine = sin(x); cosine = cos(x)"},
      {"sincospif(x)", "sine = sin(pi * x); cosine = cos(pi * x)"},
      {"sinf(x)", "sin"},
      {"sinhf(x)", "sinh"},
      {"sinpif(x)", "sin(pi * x)"},
      {"sqrtf(x)", "sqrt"},
      {"tanf(x)", "tan"},
      {"tanhf(x)", "tanh"},
      {"tgammaf(x)", "gamma"},
      {"truncf(x)", "trunc"},
      {"y0f(x)", kNone},
      {"y1f(x)", kNone},
      {"ynf(n, x)", kNone},
      // Intrinsic functions.
      {"__cosf(x)", "cos"},
      {"__exp10f(x)", "10.0 ^ x"},
      {"__expf(x)", "exp"},
      {"__fadd_rn(x, y)", "x + y"},
      {"__fadd_rz(x, y)", kNone},
      {"__fdiv_rn(x, y)", "x / y"},
      {"__fdiv_rd(x, y)", kNone},
      {"__fdividef(x, y)", "x / y"},
      {"__fmaf_rn(x, y, a)", "fma"},
      {"__fmaf_ru(x, y, a)", kNone},
      {"__fmaf_ieee_rn(x, y, a)", kNone},
      {"__fmul_rn(x, y)", "x * y"},
      {"__fmul_rz(x, y)", kNone},
      {"__frcp_rn(x)", "1 / x"},
      {"__frcp_rz(x)", kNone},
      {"__frsqrt_rn(x)", "rsqrt"},
      {"__fsqrt_rn(x)", "sqrt"},
      {"__fsqrt_ru(x)", kNone},
      {"__fsub_rn(x, y)", "x - y"},
      {"__log10f(x)", "log10"},
      {"__log2f(x)", "log2"},
      {"__logf(x)", "log"},
      {"__powf(x, y)", "pow"},
      {"__saturatef(x)", "clamp(x, 0, 1)"},
      {"__sincosf(x)", "sine = sin(x); cosine = cos(x)"},
      {"__sinf(x)", "sin"},
      {"__tanf(x)", "tan"},
      {"__tanhf(x)", "tanh"},
      {"__dadd_rn(d, 1)", "d + 1"},
      {"__ddiv_rn(d, 3)", "d / 3"},
      {"__dmul_rn(d, 3)", "d * 3"},
      {"__drcp_rn(d)", "1 / d"},
      {"__dsqrt_rn(d)", "sqrt"},
      {"__dsub_rn(d, 1)", "d - 1"},
      {"__fma_rn(d, d, 1)", "fma"},
      // Conversions.
      {"__float2int_rn(x)", "i32(rint(x))"},
      {"__float2int_rz(x)", "i32(x)"},
      {"__float2int_rd(x + 1)", "i32(floor(x + 1))"},
      {"__float2uint_ru(x)", "u32(ceil(x))"},
      {"__float2ll_rn(x)", "i64(rint(x))"},
      {"__double2ull_rz(d)", "u64(d)"},
      {"__double2float_rn(d)", "f32(d)"},
      {"__double2float_rz(d)", kNone},
      {"__int2float_rn(n)", "f32(n)"},
      {"__int2float_rd(n)", kNone},
      {"__int2double_rn(n)", "f64(n)"},
      {"__float2half(x)", "f16(x)"},
      {"__float2half_rn(x)", "f16(x)"},
      {"__half2float(x)", "f32(x)"},
      {"__half2int_rn(x)", "i32(rint(x))"},
      {"__float2bfloat16(x)", "bf16(x)"},
      {"__bfloat162float(x)", "f32(x)"},
      {"__double2hiint(d)", kNone},
      {"__float_as_int(x)", kNone},
      {"__int_as_float(n)", kNone},
      // Of integers.
      {"__clz(n)", kNone},
      {"__mul24(n, n)", kNone},
      {"__popc(n)", kNone},
      {"__sad(n, n, n)", kNone},
  };
  for (const Row& row : kRows) {
    const Diagnostic found = refusal_of(row.call);
    const std::string expected = row.suggestion == kNone ? std::string() : std::string(row.suggestion);
    EXPECT_EQ(found.suggestion, expected) << row.call << ": " << found.text;
    EXPECT_TRUE(can_be_typed(row.call, found)) << row.call;
    const bool is_function = formulas::find_function(expected) != nullptr;
    const std::string typed = is_function ? expected + std::string(row.call.substr(row.call.find('('))) : expected;
    check_formula(typed);
  }
  EXPECT_EQ(refusal_of("2 * __fadd_rn(x, y)").suggestion, "(x + y)");
  EXPECT_EQ(refusal_of("__clz(n)").text,
            "`__clz` is not known here; intrinsic functions of CUDA are for a callback in CUDA C++");
  EXPECT_EQ(refusal_of("__fadd_rz(x, y)").text,
            "`__fadd_rz` rounds in a direction that formulas do not have: write a callback in CUDA C++");
}

TEST(FormulaFromCpp, CastsHaveTheNamesOfTypes) {
  constexpr std::string_view kSaid = "a cast has the value in the parentheses";
  constexpr std::string_view kParameter = "is the type of an argument, and literals take the type of what they meet";
  constexpr Pasted kRows[] = {
      {"float(n)", "float", "f64(n)", "`float` of C++ is `f32(n)`, and that of Python f64; did you mean `f64(n)`?"},
      {"int(x) + 1", "int", "i64(x)", "`int` of C++ is `i32(x)`, and that of Python i64; did you mean `i64(x)`?"},
      {"uint8_t(x)", "uint8_t", "u8(x)", "`uint8_t` is no name of a type here"},
      {"(float)n * 2", "float", "f32(n)", kSaid},
      {"(unsigned char)x", "unsigned char", "u8(x)", kSaid},
      {"(const float)(x + 1)", "const float", "f32(x + 1)", kSaid},
      {"(long long)x", "long long", "i64(x)", kSaid},
      {"static_cast<float>(n)", "static_cast<float>", "f32(n)", kSaid},
      {"2 * static_cast<int>(x + 1)", "static_cast<int>", "i32(x + 1)", kSaid},
      {"static_cast<unsigned char>(x)", "static_cast<unsigned char>", "u8(x)", kSaid},
      {"static_cast<double>(x)", "static_cast<double>", "f64(x)", kSaid},
      {"static_cast<long long>(x)", "static_cast<long long>", "i64(x)", kSaid},
      {"static_cast<int>(static_cast<float>(n))", "static_cast<float>", "f32(n)", kSaid},
      {"static_cast<half2>(x)", "static_cast<half2>", "", "is a cast that formulas do not have: write a callback"},
      {"reinterpret_cast<int&>(x)", "reinterpret_cast<int&>", "",
       "`reinterpret_cast<int&>` is a cast that formulas do not have: write a callback in CUDA C++"},
      {"bit_cast<int>(x)", "bit_cast<int>", "", "write a callback in CUDA C++"},
      {"T(0.5) * x", "T", "0.5", kParameter},
      {"x * T(-2)", "T", "(-2)", kParameter},
      {"(T)0.5 * x", "T", "0.5", kParameter},
      {"static_cast<T>(0.5) * x", "static_cast<T>", "0.5", kParameter},
      {"T(n) * x", "T", "", "leave it away, or name a type, as in `f32(x)`"},
      {"static_cast<T>(n) * x", "static_cast<T>", "", kParameter},
  };
  for (const Pasted& row : kRows) check(row);
  EXPECT_EQ(written("T * 2", "f32 T"), written("x * 2", "f32 x"));
}

TEST(FormulaFromCpp, CommentsBeginWithAnotherSign) {
  constexpr std::string_view kDivision =
      "`//` is the floor division, and no formula follows it; comments begin with `#`";
  constexpr std::string_view kNote = ", and `//` is the floor division: comments begin with `#`";
  constexpr Pasted kRows[] = {
      {"x * 2 // two times", "//", "#", kDivision},
      {"z = x * 2; // two times\nw = x", "//", "#", "`//` is the floor division, and no value stands before it"},
      {"// two times\nx * 2", "//", "#", "comments begin with `#`"},
      {"x * 2 // it's", "'", "", "`'` is no part of a formula, whose comments begin with `#`, and not with `//`"},
      {"x * 2 // costs $2", "$", "", "`$` is no part of a formula, whose comments begin with `#`"},
      {"x * 2 // done!", "//", "#", kDivision},
      {"x * 2 // really?", "//", "#", kDivision},
      {"x * 2 // see: (this)", "//", "#", kDivision},
      {"x * 2 // = two", "//", "#", kDivision},
      {"x * 2 // twice", "twice", "", kNote},
      {"x * 2 // twice # not thrice", "twice", "", kNote},
      {"x * 2 // clamp", "clamp", "clamp(x, y, z)", kNote},
      {"x * 2 // mean", "mean", "", kNote},
      {"/* twice */ x * 2", "/*", "", "`/*` begins a comment of C++; comments of a formula begin with `#`"},
      {"x * 2 /* twice */", "/*", "", "comments of a formula begin with `#`"},
      // Floor divisions.
      {"max(x // 2, y y)", "y", "", "an operator is missing before `y`"},
      {"x // (twice + 1)", "twice", "", "`twice` is not known here"},
      {"x // 2\ny y", "y", "", "an operator is missing before `y`"},
      {"x // y[0]", "[", "", "one element of each array"},
      {"x // 2y", "2y", "(2 * y)", "a letter follows a number"},
  };
  for (const Pasted& row : kRows) check(row);
  EXPECT_EQ(refusal_of("x // (twice + 1)").text, "`twice` is not known here");
  EXPECT_EQ(refusal_of("x // twice + 1").text, "`twice` is not known here");
}

TEST(FormulaFromCpp, VariablesKeepTheirValues) {
  constexpr std::string_view kOutput =
      "`x` is a variable, which a formula does not change: give the output another name";
  constexpr std::string_view kChange =
      "changes a variable, and a formula changes none: give the new value a name of its";
  constexpr Pasted kRows[] = {
      {"x = x + 1", "x", "out = x + 1", kOutput},
      {"z = y; x = z + 1", "x", "z = y; out = z + 1", kOutput},
      {"x = y; z = x + 1", "x", "", kOutput},
      {"x = y # once", "x", "", kOutput},
      {"x += y", "+=", "out = x + y", kChange},
      {"x -= y - 1;", "-=", "out = x - (y - 1)", kChange},
      {"x *= y + 1", "*=", "out = x * (y + 1)", kChange},
      {"x /= mask ? y : 2", "/=", "out = x / (mask ? y : 2)", kChange},
      {"x **= 2", "**=", "out = x ** 2", kChange},
      {"out *= y", "*=", "result = out * y", kChange},
      {"n <<= 2", "<<=", "", kChange},
      {"x += y; x * 2", "+=", "", kChange},
      {"x += y z", "+=", "", kChange},
      {"2 * x += y", "+=", "", kChange},
      {"x += y += 1", "+=", "", kChange},
  };
  for (const Pasted& row : kRows) check(row);
  EXPECT_EQ(error_of([] { formula("f32 x => x = x + 1"); }).diagnostics().at(0).suggestion, "out = x + 1");
  EXPECT_EQ(error_of([] { formula("f32 x => x += 1"); }).diagnostics().at(0).suggestion, "out = x + 1");
  EXPECT_EQ(error_of_formula("x = out + 1", "f32 x, out").diagnostics().at(0).suggestion, "result = out + 1");
}

// Statements in statements end, whatever they are.
TEST(FormulaFromCpp, NestedStatementsAreBounded) {
  std::string choices;
  for (int i = 0; i < 1000; ++i) choices += "if (x) ";
  std::string blocks;
  for (int i = 0; i < 100; ++i) blocks += "if (x) {";
  std::string short_choices;
  for (int i = 0; i < 60; ++i) short_choices += "if (x) ";
  std::string changes;
  for (int i = 0; i < 100; ++i) changes += "x+=";
  const std::vector<std::string> texts = {choices + "z = x;",
                                          blocks + "z = x;",
                                          short_choices + "z = x;",
                                          changes + "y",
                                          "T v = x\nT v = y; v",
                                          "T v = T w = x; v",
                                          "T v = x; if (x) v = 1",
                                          "let T v = x; v",
                                          "if",
                                          "if (",
                                          "if (x",
                                          "if (x)",
                                          "T T T",
                                          "const",
                                          "const x ="};
  for (const std::string& text : texts) {
    const Diagnostic found = refusal_of(text);
    EXPECT_FALSE(found.text.empty());
    EXPECT_TRUE(can_be_typed(text, found)) << text;
  }
}

TEST(FormulaFromCpp, DeclarationsTakeNoTypeParameters) {
  const Error error = error_of_formula("x * 2", "T x");
  EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error.message(), "`T` stands for any type, and here variables have types of their own");
  EXPECT_NE(error.remedy().find("generic formula has no types"), std::string::npos) << error.remedy();
  EXPECT_NO_THROW(formula("T * 2", "f32 T"));
}

}  // namespace
}  // namespace graft::test
