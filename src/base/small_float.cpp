#include "base/small_float.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace graft::base {

// Scales the value so that one unit is the format's smallest step at this magnitude, and rounds it to an integer.
std::uint16_t to_small_float(double value, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  const unsigned sign = std::signbit(value) ? 0x8000u : 0u;
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | infinity | 1u << (mantissa_bits - 1));
  const double magnitude = std::abs(value);
  if (std::isinf(magnitude)) return static_cast<std::uint16_t>(sign | infinity);
  if (magnitude == 0) return static_cast<std::uint16_t>(sign);
  // Subnormals have the exponent of the smallest normal number.
  const int exponent = std::max(std::ilogb(magnitude), 1 - bias);
  const auto steps = static_cast<unsigned>(std::nearbyint(std::scalbn(magnitude, mantissa_bits - exponent)));
  // If rounding overflows the mantissa or makes a subnormal number normal, the addition carries into the exponent,
  // which gives the right result.
  const unsigned whole = steps + (static_cast<unsigned>(exponent + bias - 1) << mantissa_bits);
  return static_cast<std::uint16_t>(sign | std::min(whole, infinity));
}

double from_small_float(std::uint16_t bits, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = bits >> mantissa_bits & ((1 << exponent_bits) - 1);
  const int mantissa = bits & ((1 << mantissa_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return std::copysign(mantissa != 0 ? std::numeric_limits<double>::quiet_NaN() : HUGE_VAL, sign);
  if (exponent == 0) return sign * std::scalbn(mantissa, 1 - bias - mantissa_bits);
  return sign * std::scalbn(mantissa + (1 << mantissa_bits), exponent - bias - mantissa_bits);
}

}  // namespace graft::base
