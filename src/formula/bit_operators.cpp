#include "formula/bit_operators.hpp"

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "formula/parser.hpp"
#include "formula/token.hpp"

namespace graft::formulas {
namespace {

std::size_t end_of_place(const Place& place) {
  return place.offset + place.length;
}

// The arithmetic of n & mask for a mask of bits in a row, such as 12: of 4, and of all below 16.
std::string bits_in_row(std::string_view n, Type type, const Constant& mask) {
  if (mask.integer < 1 || !fits(mask, type)) return {};
  const WideInteger lowest = mask.integer & -mask.integer;
  const Constant width = Constant::of(mask.integer / lowest + 1);
  const bool is_row = (width.integer & (width.integer - 1)) == 0;
  if (mask.integer + 1 == end_of(type) && !is_signed(type)) return std::string(n);
  if (!is_row) return {};
  if (lowest == 1 && !fits(width, type) && bits_of(type) < 64)
    return base::format("{}({}) % {}", name(bits_of(type) < 32 ? Type::I32 : Type::I64), n, to_text(width));
  if (!fits(width, type)) return {};
  if (lowest == 1) return base::format("{} % {}", n, to_text(width));
  return base::format("{0} // {1} % {2} * {1}", n, to_text(Constant::of(lowest)), to_text(width));
}

// What somebody meant to stand on both sides of an operator.
struct Sides {
  std::string left;
  std::string right;
  Place whole;
  bool has_left = false;  // more than the operator's operand
  bool has_right = false;
  bool is_clear = true;  // and short enough for a message
};

using IsSymbol = bool(TokenKind);

// An operator above node `i` that reaches to a side is one of `reaches`, and the node is its end, without parentheses.
// Its other operand makes the sides unclear if it is an operator that `splits` knows, since a part of it may belong to
// another side.
Sides sides_of(const Tree& tree, NodeIndex i, IsSymbol* reaches, IsSymbol* splits) {
  const std::span<const NodeIndex> joined = tree.operands_of(tree.nodes[i]);
  Sides sides{.left = to_text(tree, joined[0]), .right = to_text(tree, joined[1]), .whole = tree.nodes[i].whole};
  sides.is_clear = !sides.left.empty() && !sides.right.empty();
  NodeIndex top = i;
  for (NodeIndex above = i + 1; above < tree.nodes.size(); ++above) {
    const Node& node = tree.nodes[above];
    const std::span<const NodeIndex> operands = tree.operands_of(node);
    if (std::ranges::find(operands, top) == operands.end()) continue;
    if (node.kind != NodeKind::Binary || !reaches(node.symbol)) break;
    const bool begins = operands[0] == top && sides.whole.offset == node.whole.offset;
    const bool ends = operands[1] == top && end_of_place(sides.whole) == end_of_place(node.whole);
    if (!begins && !ends) break;
    (begins ? sides.has_right : sides.has_left) = true;
    sides.whole = node.whole;
    top = above;
    if (!sides.is_clear) continue;  // the texts are not needed
    const NodeIndex other = operands[begins ? 1 : 0];
    const std::string text = to_text(tree, other);
    if (begins) sides.right = base::format("({} {} {})", sides.right, symbol_text(node.symbol), text);
    else sides.left = base::format("({} {} {})", text, symbol_text(node.symbol), sides.left);
    sides.is_clear = !text.empty() && !splits(tree.nodes[other].symbol) &&
                     sides.left.size() + sides.right.size() <= base::kLongestPiece;
  }
  return sides;
}

std::string meant(const Sides& sides, std::string_view symbol) {
  std::string text = base::format("{} {} {}", sides.left, symbol, sides.right);
  return sides.is_clear && text.size() <= base::kLongestPiece ? text : std::string();
}

}  // namespace

bool has_caret(const Tree& tree, Place piece) {
  return tree.text.substr(piece.offset, piece.length).find('^') != std::string_view::npos;
}

std::string arithmetic_of_bits(TokenKind symbol, std::string_view n, Type type, const Constant* mask) {
  if (!is_integer(type) || n.empty()) return {};
  if (symbol == TokenKind::BitNot) return base::format("-{} - 1", n);
  std::string bits = mask == nullptr ? std::string() : bits_in_row(n, type, *mask);
  if (bits.empty() || symbol == TokenKind::BitAnd) return bits;
  return base::format("{} - {} + {}", n, bits, to_text(*mask));
}

// "n == 0 & n > 0" is n == ((0 & n) > 0).
std::optional<Misread> misread_comparisons(const Tree& tree, NodeIndex i, bool on_both_sides) {
  const auto splits = [](TokenKind symbol) { return is_comparison(symbol) || is_of_conditions(symbol); };
  const Sides sides = sides_of(tree, i, is_comparison, splits);
  if (on_both_sides ? !(sides.has_left && sides.has_right) : !(sides.has_left || sides.has_right)) return std::nullopt;
  return Misread{sides.whole, meant(sides, symbol_text(tree.nodes[i].symbol))};
}

// "a & b ^ c" is a & (b ^ c).
std::optional<Misread> misread_conjunctions(const Tree& tree, NodeIndex i) {
  const auto is_and = [](TokenKind symbol) { return symbol == TokenKind::BitAnd; };
  const Sides sides = sides_of(tree, i, is_and, [](TokenKind symbol) { return symbol == TokenKind::Power; });
  if (!sides.has_left && !sides.has_right) return std::nullopt;
  return Misread{sides.whole, meant(sides, "!=")};
}

}  // namespace graft::formulas
