// Tokens, and the bytes that no formula may hold.
#include "formula/token.hpp"

#include <gtest/gtest.h>

#include <string>

#include "formula/bounds.hpp"
#include "support/errors.hpp"

namespace graft::formulas {
namespace {

std::string tokens_of(std::string_view text) {
  std::string all;
  for (const Token& token : tokenize(text)) {
    if (token.kind != TokenKind::End) all += (all.empty() ? "" : " ") + std::string(token.in(text));
  }
  return all;
}

TEST(Tokens, AreNamesNumbersAndSymbols) {
  EXPECT_EQ(tokens_of("a*max( x,0.5 )"), "a * max ( x , 0.5 )");
  EXPECT_EQ(tokens_of("x**2//y<=z&&!w||a!=b"), "x ** 2 // y <= z && ! w || a != b");
  EXPECT_EQ(tokens_of("y=1;z=p.x"), "y = 1 ; z = p . x");
  EXPECT_EQ(tokens_of(" \t\r\n x \n"), "x");
  EXPECT_EQ(tokens_of(""), "");
  EXPECT_EQ(tokens_of("_a1 asm linux __LINE__"), "_a1 asm linux __LINE__");
}

TEST(Tokens, NumbersAreDecimal) {
  EXPECT_EQ(tokens_of("0 1. .5 1.5 1e3 1e-3 2.5E+7 007 2j 1e3J"), "0 1. .5 1.5 1e3 1e-3 2.5E+7 007 2j 1e3J");
  for (const char* wrong : {"0x10", "1f", "1.0f", "2x", "1e", "1e+", "1.2.3", "1_000", "1..2", "1ja", "1j2"})
    EXPECT_THROW(tokenize(wrong), Error) << wrong;
}

TEST(Tokens, CommentsAreNone) {
  EXPECT_EQ(tokens_of("x # y\n+ 1 ## z # \\ \" \x80\r\n#\n* 2#"), "x + 1 * 2");
  EXPECT_EQ(tokens_of("#"), "");
  EXPECT_THROW(tokenize("x # y\n$"), Error);
}

TEST(Tokens, EveryOtherByteIsRefusedAtItsColumn) {
  constexpr std::string_view kSymbols = "+-*/%^<>=!&|~?:,().;#";  // '#' begins a comment
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool is_word = byte < 128 && (std::isalnum(byte) != 0 || c == '_');
    if (is_word || kSymbols.find(c) != kSymbols.npos || std::string_view(" \t\n\r").find(c) != std::string_view::npos)
      continue;
    const std::string text = std::string("x + ") + c;
    const Error error = test::error_of([&] { tokenize(text); });
    ASSERT_EQ(error.diagnostics().size(), 1u);
    EXPECT_EQ(error.diagnostics()[0].column, 5) << byte;
    for (const char shown : std::string(error.what())) EXPECT_TRUE(shown == '\n' || (shown >= ' ' && shown <= '~'));
  }
}

TEST(Tokens, SymbolsOfOtherPlacesHaveASuggestion) {
  const std::pair<const char*, const char*> rows[] = {
      {"2x", "2 * x"}, {"1.0f", "1.0"}, {"a × b", "*"},  {"a ÷ b", "/"},  {"a − b", "-"},
      {"π", "pi"},     {"x²", "^2"},    {"x ≤ y", "<="}, {"x ≠ y", "!="},
  };
  for (const auto& [text, suggestion] : rows) {
    const Error error = test::error_of([text = text] { tokenize(text); });
    ASSERT_EQ(error.diagnostics().size(), 1u);
    EXPECT_EQ(error.diagnostics()[0].suggestion, suggestion) << text;
  }
}

TEST(Tokens, MistakesInNumbersAreNamed) {
  const std::pair<const char*, const char*> rows[] = {
      {"0x10", "numbers are decimal; did you mean `16`?"}, {"0xg", "numbers are decimal"},
      {"0xffffffffffffffffff", "numbers are decimal"},     {"1e", "the exponent of `1e` has no digits"},
      {"2.5e+x", "the exponent of `2.5e` has no digits"},
  };
  for (const auto& [text, message] : rows) {
    const Error error = test::error_of([text = text] { tokenize(text); });
    ASSERT_EQ(error.diagnostics().size(), 1u);
    EXPECT_EQ(error.diagnostics()[0].text, message) << text;
  }
}

TEST(Tokens, AreBounded) {
  std::string most = "x";
  for (std::size_t i = 1; i < kMostTokens / 2; ++i) most += "+x";
  most += "+";
  EXPECT_EQ(tokenize(most).size(), kMostTokens + 1);
  const Error error = test::error_of([&] { tokenize(most + "x"); });
  EXPECT_NE(error.message().find("4096"), std::string::npos) << error.message();
}

}  // namespace
}  // namespace graft::formulas
