// Precedence and nesting, as text with all parentheses.
#include "formula/parser.hpp"

#include <gtest/gtest.h>

#include <string>

#include "formula/bounds.hpp"
#include "support/errors.hpp"

namespace graft::formulas {
namespace {

TEST(Parser, KnowsPrecedence) {
  const std::pair<const char*, const char*> rows[] = {
      {"a", "a"},
      {"(((a)))", "a"},
      {"a + b * c", "(a + (b * c))"},
      {"a * b + c", "((a * b) + c)"},
      {"a - b - c", "((a - b) - c)"},
      {"a / b * c", "((a / b) * c)"},
      {"a // b % c", "((a // b) % c)"},
      {"-x^2", "(-(x ^ 2))"},
      {"-x**2", "(-(x ** 2))"},
      {"2^3^2", "(2 ^ (3 ^ 2))"},
      {"2^-x", "(2 ^ (-x))"},
      {"2^-x^2", "(2 ^ (-(x ^ 2)))"},
      {"-a * b", "((-a) * b)"},
      {"!a == b", "((!a) == b)"},
      {"- - +a", "(-(-(+a)))"},
      {"a < b == c < d", "((a < b) == (c < d))"},
      {"a == b && c != d || e", "(((a == b) && (c != d)) || e)"},
      {"a || b && c", "(a || (b && c))"},
      {"a < b + 1", "(a < (b + 1))"},
      {"c ? x : y", "(c ? x : y)"},
      {"a ? b : c ? d : e", "(a ? b : (c ? d : e))"},
      {"a ? b ? 1 : 2 : 3", "(a ? (b ? 1 : 2) : 3)"},
      {"a < 1 ? x + 1 : y * 2", "((a < 1) ? (x + 1) : (y * 2))"},
      {"max(a, b + 1)", "max(a, (b + 1))"},
      {"f(g(x), h())", "f(g(x), h())"},
      {"p.x * p.y", "(p.x * p.y)"},
      {"max(x) ^ 2", "(max(x) ^ 2)"},
      {"y = a + b", "y = (a + b)"},
      {"y = a; z = y * 2;", "y = a; z = (y * 2)"},
      {"a & b | c & d", "((a & b) | (c & d))"},
      {"a + b & c == d", "(((a + b) & c) == d)"},
      {"~a & -b ** 2", "((~a) & (-(b ** 2)))"},
      {"a | b < c && d", "(((a | b) < c) && d)"},
      {"not a < b and c or d", "(((!(a < b)) && c) || d)"},
      {"not a == b", "(!(a == b))"},
      {"not + and * if", "(not + (and * if))"},
      {"a if b else c if d else e", "(b ? a : (d ? c : e))"},
      {"a if b or c else d + 1", "((b || c) ? a : (d + 1))"},
      {"a ? b if c else d : e", "(a ? (c ? b : d) : e)"},
      {"np.pi * np.sin(x)", "(np.pi * sin(x))"},
      {"1 + 2j", "(1 + complex(0, 2))"},
      {"let t = a\nlet s = t\ns + 1", "let t = a; let s = t; (s + 1)"},
      {"y = a\n+ b\nz = c", "y = (a + b); z = c"},
      {"asm + linux * int", "(asm + (linux * int))"},
  };
  for (const auto& [text, tree] : rows) EXPECT_EQ(to_text(parse(text)), tree) << text;
}

TEST(Parser, NamesTheColumnOfAMistake) {
  struct Row {
    const char* text;
    int column;
    const char* message;
  };
  constexpr Row kRows[] = {
      {"", 1, "the formula is empty"},
      {"  \n ", 1, "the formula is empty"},
      {"x +", 4, "the formula ends too early"},
      {"(x", 3, "`)` is missing at the end"},
      {"x)", 2, "`)` cannot stand here"},
      {"x y", 3, "an operator is missing before `y`"},
      {"2 (x)", 3, "an operator is missing before `(`"},
      {"x\ny", 1, "a formula with several outputs names each"},
      {"let x", 1, "`let` names a value"},
      {"let t = x;", 5, "a formula ends with an output"},
      {"a if b", 3, "`if` has no `else`"},
      {"a if b else", 12, "the formula ends too early"},
      {"np.", 4, "the formula ends too early"},
      {"x + * y", 5, "a name, a number or `(` is missing before `*`"},
      {"max(x,)", 7, "a name, a number or `(` is missing before `)`"},
      {"max(x", 6, "`)` is missing at the end"},
      {"x ? y", 6, "`:` is missing at the end"},
      {"x ? y ; z", 7, "`;` cannot stand here"},
      {"x == y == z", 8, "comparisons in a row"},
      {"0 < x < 1", 7, "comparisons in a row"},
      {"a + x = 3", 7, "`=` names an output"},
      {"y = x; x", 8, "a formula with several outputs names each"},
      {";", 1, "a name, a number or `(` is missing before `;`"},
      {"x;;y", 3, "a name, a number or `(` is missing before `;`"},
      {"p.", 3, "the formula ends too early"},
      {"p.1", 2, "an operator is missing before `.1`"},
      {"p.x.y", 4, "`.` cannot stand here"},
      {"x, y", 2, "`,` separates arguments of functions"},
      {"max((x, y), z)", 7, "`,` cannot stand here"},
  };
  for (const Row& row : kRows) {
    const Error error = test::error_of([&] { parse(row.text); });
    EXPECT_EQ(error.code(), ErrorCode::CompileFailed) << row.text;
    ASSERT_EQ(error.diagnostics().size(), 1u) << row.text;
    EXPECT_EQ(error.diagnostics()[0].column, row.column) << row.text;
    EXPECT_TRUE(error.diagnostics()[0].text.starts_with(row.message)) << error.what();
    EXPECT_EQ(error.diagnostics()[0].file, "formula");
  }
}

TEST(Parser, CountsLines) {
  const Error error = test::error_of([] { parse("x +\n  y +\n  )"); });
  ASSERT_EQ(error.diagnostics().size(), 1u);
  EXPECT_EQ(error.diagnostics()[0].line, 3);
  EXPECT_EQ(error.diagnostics()[0].column, 3);
  EXPECT_EQ(error.diagnostics()[0].near, ")");
  EXPECT_EQ(error.log(), "  )\n  ^");
}

std::string nested(std::size_t depth, const std::string& open, const std::string& close) {
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += open;
  text += "x";
  for (std::size_t i = 0; i < depth; ++i) text += close;
  return text;
}

// 200 are taken, one more is refused, and 2,000 and 10,000 are refused without more stack than 200 need.
TEST(Parser, NestingIsBounded) {
  const std::pair<const char*, const char*> pairs[] = {
      {"(", ")"}, {"f(", ")"}, {"-", ""}, {"!", ""}, {"x^", ""}, {"x ? ", ": y"}, {"x ? y : ", ""}, {"x + (", ")"},
  };
  for (const auto& [open, close] : pairs) {
    EXPECT_NO_THROW(parse(nested(kMostDepth, open, close))) << open;
    for (const std::size_t depth : {std::size_t{kMostDepth} + 1, std::size_t{600}}) {
      const Error error = test::error_of([&, open = open, close = close] { parse(nested(depth, open, close)); });
      EXPECT_NE(error.message().find("more than 200 deep"), std::string::npos) << open << error.message();
    }
    EXPECT_THROW(parse(nested(10'000, open, close)), Error) << open;
  }
}

TEST(Parser, CallsAndOutputsAreBounded) {
  std::string calls = "f(x)";
  for (std::size_t i = 1; i < kMostCalls; ++i) calls += "+f(x)";
  EXPECT_NO_THROW(parse(calls));
  EXPECT_NE(test::error_of([&] { parse(calls + "+f(x)"); }).message().find("more than 256 calls"), std::string::npos);

  std::string outputs;
  for (std::size_t i = 0; i < kMostOutputs; ++i) outputs += "y" + std::to_string(i) + " = x;";
  EXPECT_NO_THROW(parse(outputs));
  EXPECT_NE(test::error_of([&] { parse(outputs + "z = x"); }).message().find("more than 8 outputs"), std::string::npos);
}

// Where the parser reads on to say what to type, it is bounded as elsewhere.
TEST(Parser, HintsAreBounded) {
  const std::pair<std::string, std::string> rows[] = {
      {nested(1000, "(int)", ""), "more than 200 deep"},
      {nested(1000, "2(", ")"), "more than 200 deep"},
      {nested(1000, "not ", ""), "more than 200 deep"},
      {nested(1000, "x if x else ", ""), "more than 200 deep"},
      {"np.select(" + nested(1500, "x, ", "") + ")", "chooses by lists"},
  };
  for (const auto& [text, message] : rows)
    EXPECT_NE(test::error_of([text = text] { parse(text); }).message().find(message), std::string::npos) << message;
}

// A variable in parentheses at the end of a line is no cast.
TEST(Parser, NamesOfTypesAreVariablesToo) {
  EXPECT_EQ(to_text(parse("y = (half)\nz = (int) + half")), "y = half; z = (int + half)");
}

// A long sum is no nesting.
TEST(Parser, LongSumsAreTaken) {
  std::string text = "x";
  for (int i = 1; i < 2048; ++i) text += "+x";
  EXPECT_EQ(parse(text).nodes.size(), 4095u);
}

}  // namespace
}  // namespace graft::formulas
