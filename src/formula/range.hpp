// The least and the largest value of a choice between literals, as `u > 128 ? 1 : -1`, and of sums, differences and
// products of such choices. Their type follows from them.
#pragma once

#include <optional>
#include <span>

#include "formula/constant.hpp"
#include "formula/tree.hpp"
#include "formula/type.hpp"

namespace graft::formulas {

// Both bounds belong to it. They are rounded to f64, and no larger than kFar, which no type holds.
struct Range {
  double least = 0;
  double most = 0;
};

inline constexpr Range kOfConditions{0, 1};
inline constexpr double kFar = 1e40;  // its square is finite

// One integer, and all values of an integer type.
Range range_of(const Constant& integer);
Range range_of(Type integer);

// The values of an operator, or of a choice between two values, whose operands have these ranges. Nothing where an
// operand has none, and for operators other than + - *.
std::optional<Range> range_of(const Node& node, std::span<const std::optional<Range>> operands);

// Whether an integer type holds all values of the range.
bool fits(const Range& range, Type integer);

}  // namespace graft::formulas
