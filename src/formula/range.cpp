#include "formula/range.hpp"

#include <algorithm>

namespace graft::formulas {
namespace {

Range bounded(double least, double most) {
  return {std::max(least, -kFar), std::min(most, kFar)};
}

std::optional<Range> of_operator(TokenKind symbol, const Range& a, const Range& b) {
  switch (symbol) {
    case TokenKind::Plus:
      return bounded(a.least + b.least, a.most + b.most);
    case TokenKind::Minus:
      return bounded(a.least - b.most, a.most - b.least);
    case TokenKind::Times: {
      const auto [least, most] = std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
      return bounded(least, most);
    }
    default:
      return std::nullopt;
  }
}

}  // namespace

Range range_of(const Constant& integer) {
  return bounded(integer.as_real(), integer.as_real());
}

Range range_of(Type integer) {
  return {static_cast<double>(least_of(integer)), static_cast<double>(end_of(integer) - 1)};
}

std::optional<Range> range_of(const Node& node, std::span<const std::optional<Range>> operands) {
  if (operands.empty() || !std::ranges::all_of(operands, [](const auto& one) { return one.has_value(); }))
    return std::nullopt;
  const Range& last = *operands.back();
  switch (operands.size()) {
    case 1:
      return of_operator(node.symbol, {0, 0}, last);
    case 2:
      return of_operator(node.symbol, *operands[0], last);
    default:
      return Range{std::min(operands[1]->least, last.least), std::max(operands[1]->most, last.most)};
  }
}

bool fits(const Range& range, Type integer) {
  const Range held = range_of(integer);
  return range.least >= held.least && range.most <= held.most;
}

}  // namespace graft::formulas
