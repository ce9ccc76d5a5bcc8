// The variables that an application declares for a formula: which are allowed, and where the members of a struct lie.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formula/typing.hpp"
#include "graft/formula.hpp"

namespace graft::formulas {

// The struct that has these variables as its members, as C++ lays it out.
struct Layout {
  std::vector<std::size_t> offsets;
  ElementType type;
};
// Throws Error(InvalidArgument) for a member that is not aligned as in C++.
Layout layout_of(std::span<const Variable> members);

// Whether a variable is a complex number that is aligned as its parts, as std::complex is. graft::complex, of which
// the text that is compiled computes, is aligned as a whole.
bool is_complex_of_parts(const Variable& member);

// Throw Error(InvalidArgument) if a formula cannot have these variables or functions.
void check_parameters(const std::vector<Variable>& parameters);
void check_size_of_parameters(std::span<const Variable> parameters);
void check_names(const Names& names, std::span<const std::string> weak = {});

}  // namespace graft::formulas
