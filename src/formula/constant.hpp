// The values of literals, and the arithmetic of expressions that consist of literals alone.
//
// graft computes such expressions itself, in integers of 128 bits and in f64, and rounds once to the type that the
// result meets. So 1/3 is a third, 2^10 is the integer 1024, and in `x * (1/3)` of an f32 there is no division and no
// f64.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "formula/token.hpp"
#include "formula/type.hpp"
#include "graft/element.hpp"

namespace graft::formulas {

using WideInteger = graft::detail::Int128;

struct Constant {
  bool is_integer = false;
  WideInteger integer = 0;  // if is_integer
  double real = 0;          // otherwise

  static Constant of(WideInteger value) { return {true, value, 0}; }
  static Constant of_real(double value) { return {false, 0, value}; }
  Type type() const { return is_integer ? Type::WeakInteger : Type::WeakFloat; }
  double as_real() const { return is_integer ? static_cast<double>(integer) : real; }
  bool is_zero() const { return is_integer ? integer == 0 : real == 0; }
};

// The least value of an integer type, and the one behind its largest.
constexpr WideInteger end_of(Type integer) noexcept {
  return WideInteger(1) << (is_signed(integer) ? bits_of(integer) - 1 : bits_of(integer));
}
constexpr WideInteger least_of(Type integer) noexcept {
  return is_signed(integer) ? -end_of(integer) : 0;
}

// Returns the value of a number token. Nothing if an integer needs more than 64 bits, or if a floating-point number is
// no f64: too large, or so small that it would be zero.
std::optional<Constant> parse_number(std::string_view text);

// Compute +a, -a, and a op b. Nothing if the operator is none of arithmetic, or for an integer division by zero.
// Integers that leave 64 bits become floating-point numbers.
std::optional<Constant> compute(TokenKind symbol, const Constant& a);
std::optional<Constant> compute(TokenKind symbol, const Constant& a, const Constant& b);

// Whether a value of the type can hold the constant: an integer type the same integer, and a floating-point type a
// finite number that is not zero if the constant is neither infinite nor zero.
bool fits(const Constant& constant, Type type);

// The nearest number of a floating-point type, or of a complex type's parts; infinite if it is out of the range.
double rounded(double value, Type type);

// What a cast to an integer type makes of a literal: the nearest integer in the direction of zero, and 0 of nan.
Constant saturated(const Constant& constant, Type type);

// The constant as C++, in the type in which a formula computes values of `type`: "0.1f", "(-5)". The constant fits.
std::string in_cpp(const Constant& constant, Type type);

// The constant for messages: "1e+39", "300".
std::string to_text(const Constant& constant);

}  // namespace graft::formulas
