// Splits a formula into tokens:
//
//     a * max(x, 0.5)   ->   a  *  max  (  x  ,  0.5  )  end
//
// A token is a name, a number, or one of the symbols below: this is the list of what a formula may consist of. From a
// '#' to the end of the line stands a comment, which is no token. Any other byte (a quote, a bracket, a backslash, a
// control character, a byte outside ASCII) is refused with its column, so nothing else gets further than this file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "formula/mistake.hpp"

namespace graft::formulas {

enum class TokenKind : std::uint8_t {
  Name,
  Number,
  Plus,
  Minus,
  Times,
  Divide,
  FloorDivide,
  Remainder,
  Power,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  And,
  Or,
  Not,
  BitAnd,  // & | ~ of conditions
  BitOr,
  BitNot,
  ShiftLeft,  // which the parser refuses, with what to type instead
  ShiftRight,
  Question,
  Colon,
  Comma,
  Open,
  Close,
  Dot,
  Assign,
  Semicolon,
  End
};

// Operators of conditions alone: in Python, those of integers work on bits.
constexpr bool is_of_conditions(TokenKind symbol) noexcept {
  return symbol == TokenKind::BitAnd || symbol == TokenKind::BitOr || symbol == TokenKind::BitNot;
}

constexpr bool is_comparison(TokenKind symbol) noexcept {
  return symbol >= TokenKind::Less && symbol <= TokenKind::NotEqual;
}

struct Token {
  TokenKind kind = TokenKind::End;
  std::uint32_t offset = 0;
  std::uint32_t length = 0;

  std::string_view in(std::string_view text) const { return text.substr(offset, length); }
  Place place() const { return {offset, length}; }
};

// Returns the tokens, of which the last is End. The text must outlive nothing: tokens are offsets. Takes time linear in
// the text's size. Throws Error(CompileFailed): for a byte or word outside the list, and for more tokens than
// bounds.hpp allows.
std::vector<Token> tokenize(std::string_view text);

// The "//" behind which `at` stands in its line, outside of parentheses: if no formula is there, this is probably a
// comment of C++, and no floor division. `before`: the tokens before `at`. Null if there is none.
const Token* comment_of_cpp(std::span<const Token> before, std::string_view text, std::size_t at);

// The first token of a text; nothing for a number, and for what is no token.
std::optional<Token> first_name_or_symbol(std::string_view text);

// The text of a symbol: "&&". One of both of the power.
std::string_view symbol_text(TokenKind symbol) noexcept;

// Whether the text is a name: letters, digits and underscores of ASCII, and no digit first.
bool is_name(std::string_view text) noexcept;

}  // namespace graft::formulas
