// Floating-point formats of 16 bits, which C++ has no types for.
#pragma once

#include <cstdint>

namespace graft::base {

// Converts to half (10 bits of mantissa) or bfloat16 (7), without the implicit bit: rounded to nearest, ties to even.
std::uint16_t to_small_float(double value, int mantissa_bits);

// Returns the value of such a number, which double represents exactly.
double from_small_float(std::uint16_t bits, int mantissa_bits);

}  // namespace graft::base
