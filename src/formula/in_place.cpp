#include "formula/in_place.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <vector>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "formula/parser.hpp"
#include "formula/precedence.hpp"
#include "formula/token.hpp"
#include "formula/tree.hpp"
#include "graft/error.hpp"

namespace graft::formulas {
namespace {

// The operator of a suggestion that binds least; nothing if the suggestion is no expression.
std::optional<Node> root_of(const std::string& suggestion) {
  try {
    const Tree tree = parse(suggestion);
    if (tree.statements.size() > 1 || !tree.statements.front().name.empty()) return std::nullopt;
    return tree.nodes[tree.statements.front().value];
  } catch (const Error&) {
    return std::nullopt;
  }
}

int binding_of(const Node& root) {
  switch (root.kind) {
    case NodeKind::Conditional:
      return kConditional;
    case NodeKind::Unary:
      return kSign;
    case NodeKind::Binary:
      return root.symbol == TokenKind::Power ? kPower : precedence_of(root.symbol);
    default:
      return kPrimary;
  }
}

// Whether a value can end with the token, so that a minus behind it subtracts.
bool ends_value(const Token& token, std::string_view text) {
  constexpr std::string_view kBeforeValues[] = {"and", "or", "not", "if", "else"};
  const bool is_word = std::ranges::find(kBeforeValues, token.in(text)) != std::end(kBeforeValues);
  return token.kind == TokenKind::Number || token.kind == TokenKind::Close ||
         (token.kind == TokenKind::Name && !is_word);
}

// How tightly an expression must bind behind the tokens, all of which stand before it.
int asked_from_left(std::span<const Token> before, std::string_view text) {
  if (before.empty()) return kConditional;
  const Token& last = before.back();
  const std::string_view word = last.in(text);
  if (word == "not") return kEquality;
  if (word == "if") return kOr;
  const bool is_prefix = before.size() == 1 || !ends_value(before[before.size() - 2], text);
  switch (const TokenKind symbol = binary_operator_of(last, text)) {
    case TokenKind::Not:
    case TokenKind::BitNot:
    case TokenKind::Power:
      return kSign;
    case TokenKind::Plus:
    case TokenKind::Minus:
      return is_prefix ? kSign : precedence_of(symbol) + 1;
    default:
      return precedence_of(symbol) == 0 ? kConditional : precedence_of(symbol) + 1;
  }
}

// How tightly an expression must bind before the text.
int asked_from_right(std::string_view rest) {
  const std::optional<Token> next = first_name_or_symbol(rest);
  if (!next) return kPrimary;
  const TokenKind symbol = binary_operator_of(*next, rest);
  if (symbol == TokenKind::Name) return next->in(rest) == "if" ? kOr : kConditional;  // or a new line
  if (symbol == TokenKind::Question) return kOr;
  if (symbol == TokenKind::Power || symbol == TokenKind::Dot || symbol == TokenKind::Open) return kPrimary;
  // Comparisons in a row are refused.
  return precedence_of(symbol) + (is_comparison(symbol) ? 1 : 0);
}

}  // namespace

std::string in_place(std::string_view text, Place piece, const std::string& suggestion) {
  if (suggestion.empty() || suggestion.size() > kLongestSuggestion) return {};
  const std::optional<Node> root = root_of(suggestion);
  if (!root) return suggestion;
  const std::string_view before = text.substr(0, piece.offset);
  const std::vector<Token> tokens = tokenize(before);  // of which the last is the end
  const int asked = std::max(asked_from_left(std::span(tokens).first(tokens.size() - 1), before),
                             asked_from_right(text.substr(piece.offset + piece.length)));
  return binding_of(*root) < asked ? base::format("({})", suggestion) : suggestion;
}

}  // namespace graft::formulas
