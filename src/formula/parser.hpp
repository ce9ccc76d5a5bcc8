// Parses a formula into its tree. From the operators that bind most tightly to those that bind least:
//
//     f(x)  p.x  (x)
//     ^ **                  power, from the right: 2^3^2 is 2^9. Its exponent may have a sign: 2^-1
//     -x  +x  !x  ~x        behind the power: -x^2 is -(x^2)
//     * / // %              from the left
//     + -                   from the left
//     &                     of conditions, as Python's: before the comparisons
//     |
//     < <= > >=             one of them: 0 < x < 1 is refused, because it means two things to different people
//     == !=                 one of them
//     not x                 !x of all that stands before
//     && and                from the left
//     || or                 from the left
//     c ? x : y             from the right
//     x if c else y
//
// A formula is one expression, or outputs with names: "y = ...; z = ...". Before them may stand names of values that
// are no outputs: "let t = x * x; t + 1". In place of a semicolon, a line may end.
#pragma once

#include <string>
#include <string_view>

#include "formula/tree.hpp"

namespace graft::formulas {

// The tree has views into the text. Throws Error(CompileFailed), which names the column.
Tree parse(std::string_view text);

// Returns the tree with all parentheses, for tests: "((a * x) + max(b, 1))".
std::string to_text(const Tree& tree);

// Returns the expression of a node as one could type it, with all parentheses but "(" at the beginning of the text of a
// name, a number or a call; an empty text if it is too long for a message.
std::string to_text(const Tree& tree, NodeIndex root);

}  // namespace graft::formulas
