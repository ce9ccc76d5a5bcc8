// Parses a formula into its tree. From the operators that bind most tightly to those that bind least:
//
//     f(x)  p.x  (x)
//     ^ **                  power, from the right: 2^3^2 is 2^9. Its exponent may have a sign: 2^-1
//     -x  +x  !x            behind the power: -x^2 is -(x^2)
//     * / // %              from the left
//     + -                   from the left
//     < <= > >=             one of them: 0 < x < 1 is refused, because it means two things to different people
//     == !=                 one of them
//     &&                    from the left
//     ||                    from the left
//     c ? x : y             from the right
//
// A formula is one expression, or outputs with names: "y = ...; z = ...".
#pragma once

#include <string>
#include <string_view>

#include "formula/tree.hpp"

namespace graft::formulas {

// The tree has views into the text. Throws Error(CompileFailed), which names the column.
Tree parse(std::string_view text);

// Returns the tree with all parentheses, for tests: "((a * x) + max(b, 1))".
std::string to_text(const Tree& tree);

}  // namespace graft::formulas
