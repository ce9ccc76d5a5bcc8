// Writes numbers into the bytes of a formula's state.
#pragma once

#include <cstddef>

#include "formula/constant.hpp"
#include "formula/type.hpp"

namespace graft::formulas {

// Writes a number as a value of a type that holds it, or is a floating-point or complex type, to which it is rounded.
void put(std::byte* at, Type type, const Constant& value);

}  // namespace graft::formulas
