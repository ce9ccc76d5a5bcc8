#include "formula/constant.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <system_error>

#include "base/format.hpp"

namespace graft::formulas {
namespace {

constexpr WideInteger kUnsignedEnd = WideInteger(1) << 64;
constexpr WideInteger kLeastSigned = std::numeric_limits<std::int64_t>::min();

// Integers of more than 64 bits become floating-point numbers.
Constant bounded(WideInteger value) {
  return value >= kUnsignedEnd || value < kLeastSigned ? Constant::of_real(static_cast<double>(value))
                                                       : Constant::of(value);
}

double floor_remainder(double a, double b) {
  const double r = std::fmod(a, b);
  return r == 0 ? std::copysign(r, b) : (r < 0) != (b < 0) ? r + b : r;
}

// As the helper of formulas (helpers.cpp) and NumPy: the floor of the true quotient, which the quotient of doubles may
// round up to the next integer.
double floor_divide(double a, double b) {
  if (b == 0) return a / b;
  const double r = std::fmod(a, b);
  const double quotient = std::rint((a - r) / b);
  if (r != 0 && (r < 0) != (b < 0)) return quotient - 1;
  return quotient == 0 ? std::copysign(0.0, a / b) : quotient;
}

WideInteger floor_divide(WideInteger a, WideInteger b) {
  const WideInteger quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// `exponent` is not negative.
Constant power(WideInteger base, WideInteger exponent) {
  if (base == 0 || base == 1) return Constant::of(exponent == 0 ? 1 : base);
  if (base == -1) return Constant::of(exponent % 2 == 0 ? 1 : -1);
  WideInteger value = 1;
  for (WideInteger done = 0; done < exponent; ++done) {
    // After at most 64 rounds. Two integers of 64 bits may have a product of 128, which a signed integer does not hold.
    if (__builtin_mul_overflow(value, base, &value) || !bounded(value).is_integer)
      return Constant::of_real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  return Constant::of(value);
}

std::optional<Constant> compute_integers(TokenKind symbol, WideInteger a, WideInteger b) {
  switch (symbol) {
    case TokenKind::Plus:
      return bounded(a + b);
    case TokenKind::Minus:
      return bounded(a - b);
    case TokenKind::Times: {
      WideInteger product = 0;
      if (__builtin_mul_overflow(a, b, &product))
        return Constant::of_real(static_cast<double>(a) * static_cast<double>(b));
      return bounded(product);
    }
    case TokenKind::FloorDivide:
      if (b == 0) return std::nullopt;
      return bounded(floor_divide(a, b));
    case TokenKind::Remainder:
      if (b == 0) return std::nullopt;
      return Constant::of(a - floor_divide(a, b) * b);
    case TokenKind::Power:
      if (b < 0) return Constant::of_real(std::pow(static_cast<double>(a), static_cast<double>(b)));
      return power(a, b);
    default:
      return std::nullopt;
  }
}

std::optional<Constant> compute_reals(TokenKind symbol, double a, double b) {
  switch (symbol) {
    case TokenKind::Plus:
      return Constant::of_real(a + b);
    case TokenKind::Minus:
      return Constant::of_real(a - b);
    case TokenKind::Times:
      return Constant::of_real(a * b);
    case TokenKind::Divide:
      return Constant::of_real(a / b);
    case TokenKind::FloorDivide:
      return Constant::of_real(floor_divide(a, b));
    case TokenKind::Remainder:
      return Constant::of_real(floor_remainder(a, b));
    case TokenKind::Power:
      return Constant::of_real(std::pow(a, b));
    default:
      return std::nullopt;
  }
}

// The number rounded to one of this many significant bits, to even if two are as near. Infinite if the result is larger
// than 2^largest, and in steps of 2^least below the smallest normal number.
double rounded(double value, int significant, int largest, int least) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  std::frexp(value, &exponent);
  const int unit = std::max(exponent - significant, least);
  const double result = std::ldexp(std::rint(std::ldexp(value, -unit)), unit);
  return std::abs(result) < std::ldexp(1, largest) ? result
                                                   : std::copysign(std::numeric_limits<double>::infinity(), value);
}

template <class T>
std::string shortest(T value) {
  char buffer[64];
  const std::to_chars_result end = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

// "2.0", "1e+30": in C++, a number with a point or an exponent is a floating-point number.
template <class T>
std::string floating_in_cpp(T value, std::string_view suffix) {
  std::string text = shortest(std::abs(value));
  if (text.find_first_of(".e") == text.npos) text += ".0";
  text += suffix;
  return std::signbit(value) ? "(-" + text + ")" : text;
}

std::string float_in_cpp(float value) {
  if (std::isnan(value)) return "__int_as_float(0x7fffffff)";
  if (std::isinf(value)) return value > 0 ? "__int_as_float(0x7f800000)" : "(-__int_as_float(0x7f800000))";
  return floating_in_cpp(value, "f");
}

std::string double_in_cpp(double value) {
  if (std::isnan(value)) return "__longlong_as_double(0x7fffffffffffffffll)";
  if (std::isinf(value))
    return value > 0 ? "__longlong_as_double(0x7ff0000000000000ll)" : "(-__longlong_as_double(0x7ff0000000000000ll))";
  return floating_in_cpp(value, "");
}

std::string digits_of(WideInteger value) {
  return value < 0 ? shortest(static_cast<std::int64_t>(value)) : shortest(static_cast<std::uint64_t>(value));
}

// The least integer of a type has no literal in C++: -2147483648 is the negation of a number that is no int.
std::string integer_in_cpp(WideInteger value, Type type) {
  const std::string suffix = std::string(is_signed(type) ? "" : "u") + (bits_of(type) == 64 ? "ll" : "");
  if (bits_of(type) < 32) return base::format("(({}){})", in_cpp(type), digits_of(value));
  if (is_signed(type) && value == least_of(type)) return base::format("({}{} - 1)", digits_of(value + 1), suffix);
  const std::string text = digits_of(value) + suffix;
  return value < 0 ? "(" + text + ")" : text;
}

}  // namespace

std::optional<Constant> parse_number(std::string_view text) {
  const char* const end = text.data() + text.size();
  if (text.find_first_of(".eE") == text.npos) {
    std::uint64_t value = 0;
    if (std::from_chars(text.data(), end, value).ec != std::errc()) return std::nullopt;
    return Constant::of(value);
  }
  double value = 0;
  if (std::from_chars(text.data(), end, value).ec != std::errc()) return std::nullopt;
  const std::string_view digits = text.substr(0, text.find_first_of("eE"));
  if (value == 0 && digits.find_first_of("123456789") != digits.npos) return std::nullopt;
  return Constant::of_real(value);
}

std::optional<Constant> compute(TokenKind symbol, const Constant& a) {
  if (symbol == TokenKind::Plus) return a;
  if (symbol != TokenKind::Minus) return std::nullopt;
  return a.is_integer ? bounded(-a.integer) : Constant::of_real(-a.real);
}

std::optional<Constant> compute(TokenKind symbol, const Constant& a, const Constant& b) {
  if (a.is_integer && b.is_integer && symbol != TokenKind::Divide)
    return compute_integers(symbol, a.integer, b.integer);
  return compute_reals(symbol, a.as_real(), b.as_real());
}

bool fits(const Constant& constant, Type type) {
  if (is_integer(type))
    return constant.is_integer && constant.integer < end_of(type) && constant.integer >= least_of(type);
  const double value = constant.as_real();
  if (!std::isfinite(value) || value == 0) return true;
  const double held = rounded(value, type);
  return std::isfinite(held) && held != 0;
}

double rounded(double value, Type type) {
  switch (real_of(type)) {
    case Type::F16:
      return rounded(value, 11, 16, -24);
    case Type::Bf16:
      return rounded(value, 8, 128, -133);
    case Type::F32:
      return rounded(value, 24, 128, -149);
    default:
      return value;
  }
}

Constant saturated(const Constant& constant, Type type) {
  const WideInteger end = end_of(type);
  const WideInteger least = least_of(type);
  if (constant.is_integer) return Constant::of(std::clamp<WideInteger>(constant.integer, least, end - 1));
  if (std::isnan(constant.real)) return Constant::of(0);
  if (constant.real >= static_cast<double>(end)) return Constant::of(end - 1);
  if (constant.real <= static_cast<double>(least)) return Constant::of(least);
  return Constant::of(static_cast<WideInteger>(constant.real));
}

std::string in_cpp(const Constant& constant, Type type) {
  if (type == Type::Bool) return constant.is_zero() ? "false" : "true";
  if (is_integer(type)) return integer_in_cpp(constant.integer, type);
  const bool is_float = real_of(computed_as(type)) == Type::F32;
  const double value = rounded(constant.as_real(), type);
  const std::string real = is_float ? float_in_cpp(static_cast<float>(value)) : double_in_cpp(value);
  return is_complex(type) ? base::format("{}({})", in_cpp(type), real) : real;
}

std::string to_text(const Constant& constant) {
  return constant.is_integer ? digits_of(constant.integer) : shortest(constant.real);
}

}  // namespace graft::formulas
