// A formula together with its variables, in one text:
//
//     f32 x; f32 a, b => a * max(x, 0) + b
//
// In this form a formula stands where a callback is expected: on the command line, and in the C interface.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "graft/formula.hpp"

namespace graft::formulas {

// What separates the variables from the formula.
inline constexpr std::string_view kArrow = "=>";

// Where the arrow is, which no comment holds, or npos.
std::size_t find_arrow(std::string_view text) noexcept;
bool has_arrow(std::string_view text) noexcept;

// Whether the text has the form above: names, commas and semicolons before the first arrow. No CUDA C++ has this form,
// though it may have an arrow: in a comment, or in `a <=> b`.
bool is_whole(std::string_view text) noexcept;

struct WholeText {
  FormulaVariables variables;
  std::string formula;  // with blanks in place of what stands before it, so that columns are those of the whole text
};

// Throws Error: InvalidArgument for wrong variables, CompileFailed if there is no arrow.
WholeText split(std::string_view text);

// Returns the text with blanks in place of the first `end` bytes but line breaks, so that the columns of the rest stay.
std::string blanked_to(std::size_t end, std::string_view text);

}  // namespace graft::formulas
