// The values of literals and of numbers that are given for a call, and the arithmetic of expressions that consist of
// these alone.
//
// graft computes such expressions itself, in integers of 128 bits, in f64 and in complex numbers of f64, and rounds
// once to the type that the result meets. So 1/3 is a third, 2^10 is the integer 1024, and in `x * (1/3)` of an f32
// there is no division and no f64.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "formula/functions.hpp"
#include "formula/token.hpp"
#include "formula/type.hpp"
#include "graft/element.hpp"

namespace graft::formulas {

using WideInteger = graft::detail::Int128;

// In the order in which the kinds of two operands become one.
enum class NumberKind : std::uint8_t { Bool, Integer, Real, Complex };

struct Constant {
  NumberKind kind = NumberKind::Real;
  WideInteger integer = 0;  // of Bool and Integer
  double real = 0;          // of Real and Complex
  double imaginary = 0;     // of Complex

  static Constant of(WideInteger value) { return {NumberKind::Integer, value}; }
  static Constant of_bool(bool value) { return {NumberKind::Bool, value ? 1 : 0}; }
  static Constant of_real(double value) { return {NumberKind::Real, 0, value}; }
  static Constant of_complex(std::complex<double> value) {
    return {NumberKind::Complex, 0, value.real(), value.imag()};
  }

  bool is_integer() const { return kind <= NumberKind::Integer; }
  bool is_complex() const { return kind == NumberKind::Complex; }
  bool is_zero() const { return is_integer() ? integer == 0 : real == 0 && imaginary == 0; }
  double as_real() const { return is_integer() ? static_cast<double>(integer) : real; }
  std::complex<double> as_complex() const { return {as_real(), imaginary}; }
  // The same number as one of a larger kind.
  Constant as(NumberKind larger) const;
};

// The type that a value of this kind has by itself: bool, or a weak one.
Type type_of(NumberKind kind);

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

// Compute +a, -a, !a, and a op b for all operators of formulas. Nothing for an integer division by zero, and for an
// operator that complex numbers do not have. Integers that leave 128 bits become floating-point numbers. bool counts as
// 0 and 1.
std::optional<Constant> compute(TokenKind symbol, const Constant& a);
std::optional<Constant> compute(TokenKind symbol, const Constant& a, const Constant& b);

// Computes a function, in f64 or in integers as the function of formulas has it. Nothing for the rules Power and
// Select, which are operators, and for a function that complex numbers do not have. The number of arguments is one that
// the function takes.
std::optional<Constant> compute(const Function& function, std::span<const Constant> arguments);

// Whether a value of the type can hold the constant: an integer type the same integer, and a floating-point type a
// finite number that is not zero if the constant is neither infinite nor zero; of a complex type both parts.
bool fits(const Constant& constant, Type type);

// The nearest number of a floating-point type, or of a complex type's parts; infinite if it is out of the range.
double rounded(double value, Type type);

// What a cast to an integer type makes of a real number: the nearest integer in the direction of zero, and 0 of nan.
Constant saturated(const Constant& constant, Type type);

// The constant as C++, in the type in which a formula computes values of `type`: "0.1f", "(-5)". The constant fits.
std::string in_cpp(const Constant& constant, Type type);

// The constant for messages: "1e+39", "300", "1+2j".
std::string to_text(const Constant& constant);

}  // namespace graft::formulas
