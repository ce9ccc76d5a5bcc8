// How tightly the operators of formulas bind: the parser reads by it, and what a message suggests gets parentheses by
// it.
#pragma once

#include <string_view>

#include "formula/token.hpp"

namespace graft::formulas {

// An expression may stand beside an operator if it binds as tightly as the operator asks. The weakest is `c ? x : y`.
inline constexpr int kConditional = 0;
inline constexpr int kOr = 1;  // the least of the binary operators
inline constexpr int kEquality = 3;
inline constexpr int kComparison = 4;
inline constexpr int kSign = 10;  // -x
inline constexpr int kPower = 11;
inline constexpr int kPrimary = 12;  // a name, a number, a call, or anything in parentheses

// The precedence of a binary operator, or 0 for other tokens. The power is no binary operator here, because it binds
// from the right.
constexpr int precedence_of(TokenKind kind) noexcept {
  switch (kind) {
    case TokenKind::Or:
      return kOr;
    case TokenKind::And:
      return 2;
    case TokenKind::Equal:
    case TokenKind::NotEqual:
      return kEquality;
    case TokenKind::Less:
    case TokenKind::LessEqual:
    case TokenKind::Greater:
    case TokenKind::GreaterEqual:
      return kComparison;
    case TokenKind::BitOr:
      return 5;
    case TokenKind::BitAnd:
      return 6;
    case TokenKind::ShiftLeft:
    case TokenKind::ShiftRight:
      return 7;
    case TokenKind::Plus:
    case TokenKind::Minus:
      return 8;
    case TokenKind::Times:
    case TokenKind::Divide:
    case TokenKind::FloorDivide:
    case TokenKind::Remainder:
      return 9;
    default:
      return 0;
  }
}

// The kind of a token where a binary operator can stand, which a word may be: And of "and".
constexpr TokenKind binary_operator_of(const Token& token, std::string_view text) noexcept {
  if (token.kind != TokenKind::Name) return token.kind;
  return token.in(text) == "and" ? TokenKind::And : token.in(text) == "or" ? TokenKind::Or : token.kind;
}

}  // namespace graft::formulas
