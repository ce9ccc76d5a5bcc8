// The text that graft writes for a formula.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <random>
#include <regex>
#include <set>
#include <string>

#include "formula/formula_text.hpp"
#include "formula/functions.hpp"
#include "formula/hints.hpp"
#include "support/rotation.hpp"

namespace graft::test {
namespace {

TEST(FormulaText, IsACallbackWithHelpersAndState) {
  EXPECT_EQ(formula("a * max(x, 0) + b", {{"x", "f32"}}, {{"a", "f32"}, {"b", "f32"}}).text(),
            "static __device__ __forceinline__ float graft_max_f32(float graft_a, float graft_b) {\n"
            "  return graft_a > graft_b || graft_a != graft_a ? graft_a : graft_b;\n"
            "}\n"
            "struct graft_values { float graft_p0; float graft_p1; };\n"
            "__device__ float graft_formula(float graft_x0, const graft_values& graft_p) {\n"
            "  return ((graft_p.graft_p0 * graft_max_f32(graft_x0, 0.0f)) + graft_p.graft_p1);\n"
            "}\n");
  EXPECT_EQ(formula("a * max(x, 0) + b", {{"x", "f32"}}, {{"a", "f32"}, {"b", "f32"}}),
            formula("a * max(x, 0) + b", "f32 x; f32 a, b"));
  // Neither names nor spaces are part of the callback.
  EXPECT_EQ(formula("a*max(x,0)+b", "f32 x; f32 a, b"), formula("k * max(y, 0) + l", "f32 y; f32 k, l"));
}

TEST(FormulaText, IsGivenWithItsVariablesInOneText) {
  EXPECT_EQ(formula("f32 x; f32 a, b => a * max(x, 0) + b"), formula("a * max(x, 0) + b", "f32 x; f32 a, b"));
  EXPECT_EQ(formula("=> 3"), formula("3", ""));
  const Error wrong = error_of([] { formula("f32 x => x + foo(x)"); });
  EXPECT_EQ(wrong.message(), "formula: column 14: `foo` is not known here; did you mean `floor`?");
  EXPECT_EQ(error_of([] { formula("x + 1"); }).code(), ErrorCode::CompileFailed);
  EXPECT_EQ(error_of([] { formula("f99 x => x"); }).code(), ErrorCode::InvalidArgument);
}

TEST(FormulaText, SeveralOutputsAreReferences) {
  EXPECT_EQ(formula("y = x + 1; z = y > 2", "f16 x").text(),
            "__device__ void graft_formula(__half graft_x0, __half& graft_o0, bool& graft_o1) {\n"
            "  graft_o0 = __float2half_rn((__half2float(graft_x0) + 1.0f));\n"
            "  const float graft_y0 = __half2float(graft_o0);\n"
            "  graft_o1 = (graft_y0 > 2.0f);\n"
            "}\n");
}

TEST(FormulaText, StructsHaveFields) {
  const std::vector<Variable> point = {{"x", "f32"}, {"n", "i16"}};
  EXPECT_EQ(formula("p.x * p.n + k.y", {{"p", point}}, {{"s", "u8"}, {"k", {{"y", "f64"}}}}).text(),
            "struct graft_x0_struct { float graft_f0; short graft_f1; };\n"
            "struct graft_p1_struct { double graft_f0; };\n"
            "struct graft_values { unsigned char graft_p0; graft_p1_struct graft_p1; };\n"
            "__device__ double graft_formula(graft_x0_struct graft_x0, const graft_values& graft_p) {\n"
            "  return (((double)(graft_x0.graft_f0 * ((float)graft_x0.graft_f1))) + graft_p.graft_p1.graft_f0);\n"
            "}\n");
  EXPECT_EQ(error_of([&] { formula("p.z", {{"p", point}}); }).message(), "formula: column 1: `p` has no field `z`");
  EXPECT_EQ(error_of([&] { formula("p + 1", {{"p", point}}); }).diagnostics()[0].suggestion, "p.x");
}

TEST(FormulaText, FunctionsOfTheApplicationAreCalled) {
  const std::vector<FormulaFunction> functions = {
      {"gain", "f32", {"f32", "f16"}, "__device__ float gain(float x, __half y) { return x * __half2float(y); }"},
      {"unused", "f32", {}, "not C++"},
  };
  EXPECT_EQ(formula("gain(x, 2) + 1", {{"x", "f32"}}, {}, functions).text(),
            "__device__ float gain(float x, __half y) { return x * __half2float(y); }\n"
            "__device__ float graft_formula(float graft_x0) {\n"
            "  return (gain(graft_x0, __float2half_rn(2.0f)) + 1.0f);\n"
            "}\n");
  const Error wider = error_of([&] { formula("gain(x, x)", {{"x", "f64"}}, {}, functions); });
  EXPECT_EQ(wider.diagnostics()[0].text,
            "argument 1 of `gain` has the type f64, and the function takes f32; did you mean `f32(x)`?");
  EXPECT_EQ(error_of([&] {
              formula("gian(x, x)", {{"x", "f32"}}, {}, functions);
            })
                .diagnostics()[0]
                .suggestion,
            "gain");
}

TEST(FormulaText, LiteralsArePrintedByGraft) {
  const std::pair<const char*, const char*> rows[] = {
      {"x * 0.1", "(graft_x0 * 0.1f)"},
      {"x * 00.10", "(graft_x0 * 0.1f)"},
      {"x * 2", "(graft_x0 * 2.0f)"},
      {"x * 1e30", "(graft_x0 * 1e+30f)"},
      {"x * (1/3)", "(graft_x0 * 0.33333334f)"},
      {"x * -3", "(graft_x0 * (-3.0f))"},
      {"x + inf", "(graft_x0 + __int_as_float(0x7f800000))"},
      {"x + nan", "(graft_x0 + __int_as_float(0x7fffffff))"},
      {"x * pi", "(graft_x0 * 3.1415927f)"},
      {"f64(0.1) + x", "(0.1 + ((double)graft_x0))"},
      {"x * (2^10)", "(graft_x0 * 1024.0f)"},
      {"x * (2^-1)", "(graft_x0 * 0.5f)"},
      {"x * 10^30", "(graft_x0 * 1e+30f)"},
  };
  for (const auto& [text, expected] : rows)
    EXPECT_EQ(written(text, "f32 x"), std::string("  return ") + expected + ";\n") << text;
  EXPECT_EQ(written("i - 2147483647 - 1", "i32 i").find("2147483648"), std::string::npos);
  EXPECT_EQ(written("i + (-2147483648)", "i32 i"),
            "  return ((int)((unsigned int)graft_x0 + (unsigned int)(-2147483647 - 1)));\n");
  EXPECT_EQ(written("i // 18446744073709551615", "u64 i"),
            "  return graft_floor_divide_u64(graft_x0, 18446744073709551615ull);\n");
}

// A literal is a number of the type that it meets, also of a type that is computed as f32.
TEST(FormulaText, LiteralsAreRoundedToTheirType) {
  EXPECT_EQ(written("h == 0.1", "f16 h"), "  return (__half2float(graft_x0) == 0.099975586f);\n");
  EXPECT_EQ(written("b == 0.1", "bf16 b"), "  return (__bfloat162float(graft_x0) == 0.100097656f);\n");
  EXPECT_EQ(written("f64(f16(0.1))", "f32 x"), "  return ((double)0.099975586f);\n");
  EXPECT_EQ(written("h + 65519", "f16 h"), "  return __float2half_rn((__half2float(graft_x0) + 65504.0f));\n");
  EXPECT_EQ(written("h * 3e-8", "f16 h"), "  return __float2half_rn((__half2float(graft_x0) * 5.9604645e-08f));\n");
  EXPECT_EQ(written("h + inf > 0", "f16 h"),
            "  return ((__half2float(graft_x0) + __int_as_float(0x7f800000)) > 0.0f);\n");
}

// A cast rounds what operators computed in f32, also to the type that it has.
TEST(FormulaText, CastsRound) {
  EXPECT_EQ(
      written("isinf(f16(h * h))", "f16 h"),
      "  return graft_isinf_f32(__half2float(__float2half_rn((__half2float(graft_x0) * __half2float(graft_x0)))));"
      "\n");
  EXPECT_EQ(written("f32(bf16(sqrt(b)))", "bf16 b"),
            "  return __bfloat162float(__float2bfloat16_rn(sqrtf(__bfloat162float(graft_x0))));\n");
  EXPECT_EQ(written("f32(f16(h))", "f16 h"), "  return __half2float(graft_x0);\n");
  EXPECT_EQ(written("f32(f32(x + x))", "f32 x"), "  return (graft_x0 + graft_x0);\n");
}

// On a GPU, a product less itself may be fused, and is then no zero.
TEST(FormulaText, InfinityIsFoundByComparison) {
  const std::string text = formula("isinf(x * y) || isfinite(x * y)", "f32 x, y").text();
  EXPECT_EQ(text.find("graft_a - graft_a"), text.npos);
  EXPECT_NE(text.find("graft_a < -3.4028235e+38f || graft_a > 3.4028235e+38f"), text.npos);
}

// Literals are computed as elements are.
TEST(FormulaText, FoldedDivisionIsThatOfTheHelper) {
  const std::pair<const char*, const char*> rows[] = {
      {"d + 1 // 0.1", "9.0"},
      {"d + 6 // 0.1", "59.0"},
      {"d + inf // 1", "__longlong_as_double(0x7fffffffffffffffll)"},
      {"d + 5 // -inf", "(-1.0)"},
      {"d + 5 // inf", "0.0"},
      {"d + -1.0 // -2", "0.0"},
      {"d + 0.0 // -2", "(-0.0)"},
      {"d + -7.5 // 2", "(-4.0)"},
      {"d + 1.0 // 0", "__longlong_as_double(0x7ff0000000000000ll)"},
      {"d * 18446744073709551615^2", "3.402823669209385e+38"},
      {"d * (-9223372036854775808)^3", "(-7.846377169233351e+56)"},
  };
  for (const auto& [text, expected] : rows) {
    const std::string found = written(text, "f64 d");
    EXPECT_TRUE(found.ends_with(std::string(" ") + expected + ");\n")) << text << ": " << found;
  }
}

TEST(FormulaText, WeakIntegersOfCastsMayNeedAllBits) {
  EXPECT_EQ(written("u64(c ? 18446744073709551615 : 0)", "bool c"),
            "  return (graft_x0 ? 18446744073709551615ull : 0ull);\n");
  EXPECT_EQ(written("u8(c ? 300 : -1)", "bool c"), "  return graft_i64_to_u8((graft_x0 ? 300ll : (-1ll)));\n");
}

// A small power is made of products.
TEST(FormulaText, SmallPowersAreProducts) {
  EXPECT_EQ(written("x^2", "f32 x"), "  return graft_square_f32(graft_x0);\n");
  EXPECT_EQ(written("pow(x, -1)", "f32 x"), "  return (1 / graft_x0);\n");
  EXPECT_EQ(written("z^-1", "c64 z"), "  return graft_divide_c64(graft::complex<float>(1.0f), graft_x0);\n");
  EXPECT_EQ(written("x**0.5", "f64 x"), "  return pow(graft_x0, 0.5);\n");
  EXPECT_EQ(written("x^y", "f32 x, y"), "  return powf(graft_x0, graft_x1);\n");
}

// A compiler that sees a division by zero warns of it.
TEST(FormulaText, LiteralZerosDivideInAFunction) {
  EXPECT_EQ(written("x / 0", "f32 x"), "  return graft_divide_f32(graft_x0, 0.0f);\n");
  EXPECT_EQ(written("x / -0.0", "f64 x"), "  return graft_divide_f64(graft_x0, (-0.0));\n");
  EXPECT_EQ(written("x / 2", "f32 x"), "  return (graft_x0 / 2.0f);\n");
}

// Compilers do not get deep nestings, whatever the formula.
TEST(FormulaText, LongFormulasAreCut) {
  std::string sum = "x";
  for (int i = 1; i < 2048; ++i) sum += "+x";
  std::string nested = "x";
  for (int i = 0; i < 200; ++i) nested = "(" + nested + "+1)";
  std::string many = "max(x";
  for (int i = 1; i < 2040; ++i) many += ",x";
  many += ")";
  std::string chained = "x";
  for (int i = 0; i < 100; ++i) chained = "max(x,x,x,x,x,x,x,x,x," + chained + "+x)";
  for (const std::string& text : {sum, nested, many, chained}) {
    int depth = 0;
    int deepest = 0;
    for (const char c : written(text, "f32 x")) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      deepest = std::max<int>(deepest, depth);
    }
    EXPECT_LE(deepest, 30);
    EXPECT_EQ(depth, 0);
  }
}

// What may stand in a text: words of graft's own, keywords and functions of C, and decimal numbers.
bool is_own_word(const std::string& word) {
  static const std::set<std::string> words = [] {
    std::set<std::string> all = {"static",
                                 "__device__",
                                 "__noinline__",
                                 "__attribute__",
                                 "noinline",
                                 "__forceinline__",
                                 "struct",
                                 "const",
                                 "return",
                                 "if",
                                 "for",
                                 "float",
                                 "double",
                                 "int",
                                 "short",
                                 "long",
                                 "char",
                                 "signed",
                                 "unsigned",
                                 "bool",
                                 "void",
                                 "true",
                                 "false",
                                 "graft",
                                 "complex",
                                 "Bit",
                                 "re",
                                 "im",
                                 "__half",
                                 "__nv_bfloat16",
                                 "__half2float",
                                 "__float2half_rn",
                                 "__double2half",
                                 "__float2bfloat16_rn",
                                 "__bfloat162float",
                                 "__double2bfloat16",
                                 "__int_as_float",
                                 "__longlong_as_double",
                                 "fabs",
                                 "hypot",
                                 "atan2",
                                 "cosh",
                                 "sinh"};
    for (const formulas::Function& function : formulas::functions())
      if (!function.real.empty() && function.real[0] != '#') all.emplace(function.real);
    for (const char* name : {"pow", "fmod", "copysign", "rint", "floor", "exp", "log", "sin", "cos", "sqrt"})
      all.emplace(name);
    return all;
  }();
  return word.starts_with("graft_") || words.contains(word) ||
         (word.ends_with('f') && words.contains(word.substr(0, word.size() - 1)));
}

// Fails the test if the text holds anything but such words, numbers and the symbols of expressions.
void check_text(const std::string& text) {
  static const std::regex token(
      R"([A-Za-z_][A-Za-z0-9_]*|[0-9][0-9a-fx]*\.?[0-9]*(e[+-]?[0-9]+)?[fuxl]*|\s+|[-+*/%<>=!&|?:,.(){};])");
  for (std::sregex_iterator at(text.begin(), text.end(), token), end; at != end; ++at) {
    const std::string word = at->str();
    ASSERT_TRUE(at->prefix().str().empty()) << at->prefix().str();
    const bool is_word = std::isalpha(static_cast<unsigned char>(word[0])) != 0 || word[0] == '_';
    ASSERT_TRUE(!is_word || is_own_word(word)) << word;
  }
}

// Random strings of tokens are parsed or refused: a million in a long run. A text that is written holds no word of the
// formula.
TEST(FormulaText, RandomTokensReachNoCompiler) {
  constexpr const char* kTokens[] = {"x",
                                     "y",
                                     "i",
                                     "u",
                                     "h",
                                     "z",
                                     "m",
                                     "a",
                                     "p.q",
                                     "pi",
                                     "nan",
                                     "1",
                                     "0",
                                     "2.5",
                                     "1e9",
                                     "300",
                                     "+",
                                     "-",
                                     "*",
                                     "/",
                                     "//",
                                     "%",
                                     "^",
                                     "**",
                                     "<",
                                     "<=",
                                     "==",
                                     "!=",
                                     "&&",
                                     "||",
                                     "!",
                                     "?",
                                     ":",
                                     "(",
                                     ")",
                                     ",",
                                     ".",
                                     "=",
                                     ";",
                                     "max(",
                                     "sin(",
                                     "f32(",
                                     "u8(",
                                     "c64(",
                                     "abs(",
                                     "(",
                                     ")",
                                     "x",
                                     "system(",
                                     "\"",
                                     "#include",
                                     "asm(",
                                     "clamp(",
                                     "@",
                                     "\\",
                                     "sqrt(",
                                     "select(",
                                     "y",
                                     ")",
                                     "i",
                                     "\x80",
                                     "\n#x",
                                     "R\"(",
                                     "+",
                                     "*",
                                     "&",
                                     "|",
                                     "~",
                                     "and",
                                     "or",
                                     "not",
                                     "if",
                                     "else",
                                     "let",
                                     "\n",
                                     "1j",
                                     "np.pi",
                                     "np.where(",
                                     "<<",
                                     "t =",
                                     ".max(",
                                     ".real",
                                     "=",
                                     "is",
                                     "in",
                                     "<>",
                                     "θ",
                                     "int(",
                                     "(int)",
                                     "fmax(",
                                     "where(",
                                     "float t =",
                                     "if (x)",
                                     "if (",
                                     "T(",
                                     "{",
                                     "}",
                                     "; }",
                                     "+=",
                                     "/*",
                                     "const int",
                                     "T",
                                     "static_cast<int>(",
                                     "(T)",
                                     "(unsigned char)",
                                     "else t =",
                                     "sqrtf(",
                                     "__fmul_rn(",
                                     "return",
                                     "x +="};
  const FormulaVariables all = formula_variables("f32 x, f64 y, i32 i, u8 u, f16 h, c64 z, bool m; f32 a");
  std::vector<Variable> inputs = all.inputs;
  inputs.emplace_back("p", std::vector<Variable>{{"q", "f32"}});
  std::mt19937 random(1);
  std::size_t parsed = 0;
  const int rounds = wants_all_architectures() ? 1'000'000 : 100'000;
  for (int round = 0; round < rounds; ++round) {
    std::string text;
    for (std::size_t k = 1 + random() % 12; k > 0; --k) {
      text += kTokens[random() % std::size(kTokens)];
      text += ' ';
    }
    try {
      const formulas::Tree tree = formulas::parse(text);
      ++parsed;
      const std::string written = formulas::write(formulas::add_types(tree, {inputs, all.parameters, {}}));
      if (parsed % 64 == 0) check_text(written);
    } catch (const Error& error) {
      ASSERT_EQ(error.code(), ErrorCode::CompileFailed);
      ASSERT_EQ(error.diagnostics().size(), 1u);
      ASSERT_GE(error.diagnostics()[0].column, 1);
      ASSERT_LE(error.diagnostics()[0].column, static_cast<int>(text.size()) + 1);
      if (round % 4 == 0) {
        ASSERT_TRUE(can_be_typed(text, error.diagnostics()[0])) << text << ": " << error.what();
      }
    }
  }
  EXPECT_GT(parsed, 1'000u);
}

TEST(FormulaText, LongTextsAreRefused) {
  for (const std::string& text : {std::string(100'000, 'x'), std::string(100'000, '1'), std::string(100'000, '('),
                                  std::string(100'000, '-'), std::string(100'000, ' '), std::string(100'000, '\xff'),
                                  std::string(100'000, '.'), "x" + std::string(100'000, '^')}) {
    const Error error = error_of_formula(text);
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed);
    EXPECT_LT(std::string_view(error.what()).size(), 1'000u);
  }
}

// A member lies where the text that is compiled reads it.
// How many bytes of a formula of `marks` a message shows.
std::size_t shown_of(const Error& error) {
  return static_cast<std::size_t>(std::ranges::count(std::string_view(error.what()), '#')) +
         static_cast<std::size_t>(std::ranges::count(std::string_view(error.what()), 'Q'));
}

TEST(FormulaMistakes, ShowAtMost300BytesOfTheFormula) {
  const std::string name(10'000, 'Q');
  std::vector<Variable> fields = {{name + "x", "f32"}, {"xQ", "f32"}};
  const std::vector<Variable> inputs = {{"x", "f32"}, {name, fields}, {"Q" + std::string(100, 'w') + "Q", "f32"}};
  const std::vector<std::string> texts = {name + "." + name,
                                          name + ".xQQ",
                                          name + ".x",
                                          name,
                                          "x + " + name + "Q",
                                          "x." + name,
                                          name + "(x)",
                                          "f32(" + name + "x)",
                                          "x " + name,
                                          "max(" + name + ")",
                                          "Qww",
                                          "1" + name,
                                          "float " + name + " = x; x",
                                          "float(" + name.substr(0, 40) + ")",
                                          "if (" + name + ") x = 1; else x = 2",
                                          "static_cast<" + name + ">(x)",
                                          "x // " + name,
                                          "x // " + name + " x",
                                          name.substr(0, 100) + " += x",
                                          "x +" + std::string(500, '#')};
  for (const std::string& text : texts) {
    const Error error = error_of([&] { formula(text, inputs); });
    EXPECT_LE(shown_of(error), 300u) << error.what();
  }
  EXPECT_LE(shown_of(error_of([&] { formula(name + " x => x"); })), 300u);
  EXPECT_LE(shown_of(error_of([&] { formula("f32 " + name + "\x80 => x"); })), 300u);
}

TEST(FormulaDeclarations, MembersAreAlignedAsInCpp) {
  const std::vector<Variable> parts = {{"a", "i8"},
                                       {"z", element_type<std::complex<float>>()},
                                       {"d", "f64"},
                                       {"w", element_type<std::complex<double>>()}};
  EXPECT_EQ(Parameters(parts).state().type, ElementType::structure(40, 8));
  const std::string text = formula("z + w + a", {}, parts).text();
  EXPECT_NE(text.find("struct graft_values { signed char graft_p0; struct { float re, im; } graft_p1; double graft_p2; "
                      "struct { double re, im; } graft_p3; };"),
            text.npos)
      << text;
  EXPECT_NE(text.find("graft::complex<float>(graft_p.graft_p1.re, graft_p.graft_p1.im)"), text.npos) << text;
  for (const std::uint32_t alignment : {0u, 1u, 2u, 3u, 8u}) {
    const ElementType wrong = {ElementKind::Float, 4, alignment};
    EXPECT_EQ(error_of([&] { Parameters({{"x", wrong}}); }).code(), ErrorCode::InvalidArgument) << alignment;
    EXPECT_EQ(error_of([&] { Variable("p", {{"x", wrong}}); }).code(), ErrorCode::InvalidArgument) << alignment;
    EXPECT_EQ(error_of([&] { formula("x", {}, {{"x", wrong}}); }).code(), ErrorCode::InvalidArgument) << alignment;
  }
  Variable changed("p", {{"x", "f32"}});
  changed.fields.emplace_back("y", "f32");
  EXPECT_EQ(error_of([&] { formula("p.y", {changed}); }).code(), ErrorCode::InvalidArgument);
}

TEST(FormulaDeclarations, WrongOnesAreRefused) {
  for (const char* line : {"x", "f32", "f32 x y", "f32 x,", "f32 x; f32 a; f32 b", "f33 x", "f32 1x", "f32 x; f32 x",
                           "f32 x, x", "enum8 x", "c32 x", "f32 x; bit m", "f32 x $", "f8 x", "int x"})
    EXPECT_EQ(error_of_formula("1", line).code(), ErrorCode::InvalidArgument) << line;
  EXPECT_EQ(error_of([] { formula("1", {{"a b", "f32"}}); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([] { formula("1", {{"", "f32"}}); }).code(), ErrorCode::InvalidArgument);
  EXPECT_EQ(error_of([] { formula("1", {{"p", std::vector<Variable>()}}); }).code(), ErrorCode::InvalidArgument);
  std::vector<Variable> many;
  for (int i = 0; i < 17; ++i) many.emplace_back("x" + std::to_string(i), "f32");
  EXPECT_EQ(error_of([&] { formula("1", many); }).code(), ErrorCode::InvalidArgument);
  std::vector<Variable> large;
  for (int i = 0; i < 257; ++i) large.emplace_back("x" + std::to_string(i), "f64");
  EXPECT_EQ(error_of([&] { formula("1", {}, large); }).code(), ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace graft::test
