// & | ~ work on the bits of integers in Python, and on conditions alone in formulas. What somebody meant who typed them
// beside numbers:
//
//     n & 12            ->   n // 4 % 4 * 4
//     n == 0 & n > 0    ->   (n == 0) & (n > 0), which binds otherwise than it looks
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formula/constant.hpp"
#include "formula/mistake.hpp"
#include "formula/tree.hpp"
#include "formula/type.hpp"

namespace graft::formulas {

// Arithmetic of an integer n of a type that means `n & mask`, `n | mask` or `~n` (without a mask); empty if no short
// arithmetic does. `n` is as one could type it, and may be empty.
std::string arithmetic_of_bits(TokenKind symbol, std::string_view n, Type type, const Constant* mask);

// Comparisons that stand beside "a & b" or "a | b" without parentheses.
struct Misread {
  Place whole;        // of the comparisons
  std::string meant;  // with the parentheses; empty if it is too long for a message, or not clear
};

// Returns nothing if node `i` stands beside no comparison, or, with `on_both_sides`, beside a single one.
std::optional<Misread> misread_comparisons(const Tree& tree, NodeIndex i, bool on_both_sides);

}  // namespace graft::formulas
