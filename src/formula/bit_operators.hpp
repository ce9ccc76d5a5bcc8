// & | ~ work on the bits of integers in Python, and on conditions alone in formulas. What somebody meant who typed them
// beside numbers:
//
//     n & 12            ->   n // 4 % 4 * 4
//     n == 0 & n > 0    ->   (n == 0) & (n > 0)
//     a & b ^ c         ->   (a & b) != c
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

// Among operators of bits, somebody means the exclusive or by ^, and formulas compute the power.
inline constexpr std::string_view kCaret = ", and their `^` is the power";
bool has_caret(const Tree& tree, Place piece);

// A piece of a formula whose operators bind otherwise than somebody thought.
struct Misread {
  Place whole;
  std::string meant;  // with parentheses; empty if it is too long for a message, or not clear
};

// Comparisons beside node `i`, which is "a & b" or "a | b" without parentheses. Returns nothing if there are none, or,
// with `on_both_sides`, not on both sides.
std::optional<Misread> misread_comparisons(const Tree& tree, NodeIndex i, bool on_both_sides);

// Conjunctions beside node `i`, which is the exclusive or of two conditions. In Python, it binds less tightly than &.
std::optional<Misread> misread_conjunctions(const Tree& tree, NodeIndex i);

}  // namespace graft::formulas
