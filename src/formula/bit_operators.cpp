#include "formula/bit_operators.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"
#include "base/shown_piece.hpp"
#include "formula/parser.hpp"
#include "formula/token.hpp"

namespace graft::formulas {
namespace {

// The arithmetic of n & mask for a mask of bits in a row, such as 12: of 4, and of all below 16.
std::string bits_in_row(std::string_view n, Type type, const Constant& mask) {
  if (mask.integer < 1 || !fits(mask, type)) return {};
  const WideInteger lowest = mask.integer & -mask.integer;
  const Constant width = Constant::of(mask.integer / lowest + 1);
  const bool is_row = (width.integer & (width.integer - 1)) == 0;
  if (!is_row || !fits(width, type)) return {};
  if (lowest == 1) return base::format("{} % {}", n, to_text(width));
  return base::format("{0} // {1} % {2} * {1}", n, to_text(Constant::of(lowest)), to_text(width));
}

// Whether a node is one of the other's ends, without parentheses around it.
bool begins(const Place& inner, const Place& outer) {
  return inner.offset == outer.offset;
}
bool ends(const Place& inner, const Place& outer) {
  return inner.offset + inner.length == outer.offset + outer.length;
}

}  // namespace

std::string arithmetic_of_bits(TokenKind symbol, std::string_view n, Type type, const Constant* mask) {
  if (!is_integer(type) || n.empty()) return {};
  if (symbol == TokenKind::BitNot) return base::format("-{} - 1", n);
  std::string bits = mask == nullptr ? std::string() : bits_in_row(n, type, *mask);
  if (bits.empty() || symbol == TokenKind::BitAnd) return bits;
  return base::format("{} - {} + {}", n, bits, to_text(*mask));
}

// "n == 0 & n > 0" is n == ((0 & n) > 0): a comparison above the node belongs to the side on which the node is its end.
std::optional<Misread> misread_comparisons(const Tree& tree, NodeIndex i, bool on_both_sides) {
  const std::span<const NodeIndex> joined = tree.operands_of(tree.nodes[i]);
  std::string left = to_text(tree, joined[0]);
  std::string right = to_text(tree, joined[1]);
  bool is_clear = !left.empty() && !right.empty();
  int sides = 0;
  NodeIndex top = i;
  for (NodeIndex above = i + 1; above < tree.nodes.size(); ++above) {
    const Node& node = tree.nodes[above];
    const std::span<const NodeIndex> compared = tree.operands_of(node);
    if (std::ranges::find(compared, top) == compared.end()) continue;
    if (node.kind != NodeKind::Binary || !is_comparison(node.symbol)) break;
    const bool is_left = compared[0] == top && begins(tree.nodes[top].whole, node.whole);
    if (!is_left && !(compared[1] == top && ends(tree.nodes[top].whole, node.whole))) break;
    const Node& other = tree.nodes[compared[is_left ? 1 : 0]];
    const std::string text = to_text(tree, compared[is_left ? 1 : 0]);
    is_clear = is_clear && !text.empty() && !is_comparison(other.symbol) && !is_of_conditions(other.symbol);
    if (is_left) right = base::format("({} {} {})", right, symbol_text(node.symbol), text);
    else left = base::format("({} {} {})", text, symbol_text(node.symbol), left);
    sides |= is_left ? 1 : 2;
    top = above;
  }
  if (sides == 0 || (on_both_sides && sides != 3)) return std::nullopt;
  std::string meant = base::format("{} {} {}", left, symbol_text(tree.nodes[i].symbol), right);
  if (!is_clear || meant.size() > base::kLongestPiece) meant.clear();
  return Misread{tree.nodes[top].whole, std::move(meant)};
}

}  // namespace graft::formulas
