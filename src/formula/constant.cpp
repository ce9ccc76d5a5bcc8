#include "formula/constant.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <system_error>

#include "base/format.hpp"

namespace graft::formulas {
namespace {

using ComplexNumber = std::complex<double>;

// The least one is no integer of formulas, so that every integer has a negative.
constexpr WideInteger kLargest = static_cast<WideInteger>(~static_cast<graft::detail::UnsignedInt128>(0) >> 1);

// What an operation on integers yields that reports overflow: integers that leave 128 bits become floating-point
// numbers.
template <class Operation>
Constant bounded(WideInteger a, WideInteger b, bool overflows, WideInteger value, Operation in_reals) {
  return overflows || value < -kLargest ? Constant::of_real(in_reals(static_cast<double>(a), static_cast<double>(b)))
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

WideInteger floor_remainder(WideInteger a, WideInteger b) {
  const WideInteger r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

WideInteger floor_divide(WideInteger a, WideInteger b) {
  const WideInteger quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Constant times(WideInteger a, WideInteger b) {
  WideInteger product = 0;
  const bool overflows = __builtin_mul_overflow(a, b, &product);
  return bounded(a, b, overflows, product, std::multiplies<>());
}

// `exponent` is not negative.
Constant power(WideInteger base, WideInteger exponent) {
  if (base == 0 || base == 1) return Constant::of(exponent == 0 ? 1 : base);
  if (base == -1) return Constant::of(exponent % 2 == 0 ? 1 : -1);
  Constant value = Constant::of(1);
  for (WideInteger done = 0; done < exponent; ++done) {
    value = times(value.integer, base);
    if (!value.is_integer())  // after at most 127 rounds
      return Constant::of_real(std::pow(static_cast<double>(base), static_cast<double>(exponent)));
  }
  return value;
}

// As Python: integer exponents are made of products.
ComplexNumber power(ComplexNumber base, ComplexNumber exponent) {
  constexpr double kMostProducts = 100;
  if (exponent == 0.0) return 1;
  if (base == 0.0 && exponent.real() > 0) return 0;
  const double n = exponent.real();
  if (exponent.imag() != 0 || n != std::floor(n) || std::abs(n) > kMostProducts) return std::pow(base, exponent);
  ComplexNumber value = 1;
  for (int bits = static_cast<int>(std::abs(n)); bits > 0; bits /= 2, base *= base)
    if (bits % 2 != 0) value *= base;
  return n < 0 ? 1.0 / value : value;
}

// Of real numbers, integers among them.
template <class T>
std::optional<Constant> compared(TokenKind symbol, T a, T b) {
  switch (symbol) {
    case TokenKind::Less:
      return Constant::of_bool(a < b);
    case TokenKind::LessEqual:
      return Constant::of_bool(a <= b);
    case TokenKind::Greater:
      return Constant::of_bool(a > b);
    case TokenKind::GreaterEqual:
      return Constant::of_bool(a >= b);
    case TokenKind::Equal:
      return Constant::of_bool(a == b);
    case TokenKind::NotEqual:
      return Constant::of_bool(a != b);
    default:
      return std::nullopt;
  }
}

std::optional<Constant> compute_integers(TokenKind symbol, WideInteger a, WideInteger b) {
  WideInteger value = 0;
  switch (symbol) {
    case TokenKind::Plus: {
      const bool overflows = __builtin_add_overflow(a, b, &value);
      return bounded(a, b, overflows, value, std::plus<>());
    }
    case TokenKind::Minus: {
      const bool overflows = __builtin_sub_overflow(a, b, &value);
      return bounded(a, b, overflows, value, std::minus<>());
    }
    case TokenKind::Times:
      return times(a, b);
    case TokenKind::FloorDivide:
      if (b == 0) return std::nullopt;
      return Constant::of(floor_divide(a, b));
    case TokenKind::Remainder:
      if (b == 0) return std::nullopt;
      return Constant::of(floor_remainder(a, b));
    case TokenKind::Power:
      if (b < 0) return Constant::of_real(std::pow(static_cast<double>(a), static_cast<double>(b)));
      return power(a, b);
    default:
      return compared(symbol, a, b);
  }
}

// Of real and of complex numbers.
template <class T>
std::optional<T> arithmetic(TokenKind symbol, T a, T b) {
  switch (symbol) {
    case TokenKind::Plus:
      return a + b;
    case TokenKind::Minus:
      return a - b;
    case TokenKind::Times:
      return a * b;
    case TokenKind::Divide:
      return a / b;
    default:
      return std::nullopt;
  }
}

std::optional<Constant> compute_reals(TokenKind symbol, double a, double b) {
  if (const std::optional<double> value = arithmetic(symbol, a, b)) return Constant::of_real(*value);
  switch (symbol) {
    case TokenKind::FloorDivide:
      return Constant::of_real(floor_divide(a, b));
    case TokenKind::Remainder:
      return Constant::of_real(floor_remainder(a, b));
    case TokenKind::Power:
      return Constant::of_real(std::pow(a, b));
    default:
      return compared(symbol, a, b);
  }
}

std::optional<Constant> compute_complex(TokenKind symbol, ComplexNumber a, ComplexNumber b) {
  if (const std::optional<ComplexNumber> value = arithmetic(symbol, a, b)) return Constant::of_complex(*value);
  switch (symbol) {
    case TokenKind::Power:
      return Constant::of_complex(power(a, b));
    case TokenKind::Equal:
      return Constant::of_bool(a == b);
    case TokenKind::NotEqual:
      return Constant::of_bool(a != b);
    default:
      return std::nullopt;
  }
}

// ---- functions, by the forms in which functions.cpp has them ----

struct IntegerFunction {
  Form form;
  WideInteger (*of)(const WideInteger* x);
};
constexpr IntegerFunction kIntegerFunctions[] = {
    {"=", [](const WideInteger* x) { return x[0]; }},
    {"#abs", [](const WideInteger* x) { return x[0] < 0 ? -x[0] : x[0]; }},
    {"#clamp", [](const WideInteger* x) { return std::min(std::max(x[0], x[1]), x[2]); }},
    {"#max", [](const WideInteger* x) { return std::max(x[0], x[1]); }},
    {"#min", [](const WideInteger* x) { return std::min(x[0], x[1]); }},
    {"#relu", [](const WideInteger* x) { return std::max<WideInteger>(x[0], 0); }},
    {"#sign", [](const WideInteger* x) -> WideInteger { return x[0] > 0   ? 1
                                                               : x[0] < 0 ? -1
                                                                          : 0; }},
    {"#step", [](const WideInteger* x) -> WideInteger { return x[1] >= x[0] ? 1 : 0; }},
    {"#zero", [](const WideInteger*) -> WideInteger { return 0; }},
};

// A nan among the arguments is the result.
double least(double a, double b) {
  return a < b || std::isnan(a) ? a : b;
}
double largest(double a, double b) {
  return a > b || std::isnan(a) ? a : b;
}
double log_of_gamma(double x) {
  int sign = 0;  // lgamma() writes it to a global variable
  return ::lgamma_r(x, &sign);
}

struct RealFunction {
  Form form;
  double (*of)(const double* x);
};
constexpr RealFunction kRealFunctions[] = {
    {"=", [](const double* x) { return x[0]; }},
    {"#arg", [](const double* x) { return std::atan2(0.0, x[0]); }},
    {"#clamp", [](const double* x) { return least(largest(x[0], x[1]), x[2]); }},
    {"#deg2rad", [](const double* x) { return x[0] * (std::numbers::pi / 180); }},
    {"#fract", [](const double* x) { return x[0] - std::floor(x[0]); }},
    {"#isfinite", [](const double* x) { return std::isfinite(x[0]) ? 1.0 : 0; }},
    {"#isinf", [](const double* x) { return std::isinf(x[0]) ? 1.0 : 0; }},
    {"#isnan", [](const double* x) { return std::isnan(x[0]) ? 1.0 : 0; }},
    {"#lerp", [](const double* x) { return x[0] + x[2] * (x[1] - x[0]); }},
    {"#max", [](const double* x) { return largest(x[0], x[1]); }},
    {"#min", [](const double* x) { return least(x[0], x[1]); }},
    {"#rad2deg", [](const double* x) { return x[0] * (180 / std::numbers::pi); }},
    {"#relu", [](const double* x) { return x[0] < 0 ? 0 : x[0]; }},
    {"#sigmoid", [](const double* x) { return 1 / (1 + std::exp(-x[0])); }},
    {"#sign", [](const double* x) { return x[0] > 0   ? 1
                                           : x[0] < 0 ? -1
                                                      : x[0]; }},
    {"#square", [](const double* x) { return x[0] * x[0]; }},
    {"#step", [](const double* x) { return x[1] >= x[0] ? 1.0 : 0; }},
    {"#zero", [](const double*) { return 0.0; }},
    {"acos", [](const double* x) { return std::acos(x[0]); }},
    {"acosh", [](const double* x) { return std::acosh(x[0]); }},
    {"asin", [](const double* x) { return std::asin(x[0]); }},
    {"asinh", [](const double* x) { return std::asinh(x[0]); }},
    {"atan", [](const double* x) { return std::atan(x[0]); }},
    {"atan2", [](const double* x) { return std::atan2(x[0], x[1]); }},
    {"atanh", [](const double* x) { return std::atanh(x[0]); }},
    {"cbrt", [](const double* x) { return std::cbrt(x[0]); }},
    {"ceil", [](const double* x) { return std::ceil(x[0]); }},
    {"copysign", [](const double* x) { return std::copysign(x[0], x[1]); }},
    {"cos", [](const double* x) { return std::cos(x[0]); }},
    {"cosh", [](const double* x) { return std::cosh(x[0]); }},
    {"erf", [](const double* x) { return std::erf(x[0]); }},
    {"erfc", [](const double* x) { return std::erfc(x[0]); }},
    {"exp", [](const double* x) { return std::exp(x[0]); }},
    {"exp2", [](const double* x) { return std::exp2(x[0]); }},
    {"expm1", [](const double* x) { return std::expm1(x[0]); }},
    {"fabs", [](const double* x) { return std::fabs(x[0]); }},
    {"floor", [](const double* x) { return std::floor(x[0]); }},
    {"fma", [](const double* x) { return std::fma(x[0], x[1], x[2]); }},
    {"fmod", [](const double* x) { return std::fmod(x[0], x[1]); }},
    {"hypot", [](const double* x) { return std::hypot(x[0], x[1]); }},
    {"lgamma", [](const double* x) { return log_of_gamma(x[0]); }},
    {"log", [](const double* x) { return std::log(x[0]); }},
    {"log10", [](const double* x) { return std::log10(x[0]); }},
    {"log1p", [](const double* x) { return std::log1p(x[0]); }},
    {"log2", [](const double* x) { return std::log2(x[0]); }},
    {"rint", [](const double* x) { return std::rint(x[0]); }},
    {"rsqrt", [](const double* x) { return 1 / std::sqrt(x[0]); }},
    {"sin", [](const double* x) { return std::sin(x[0]); }},
    {"sinh", [](const double* x) { return std::sinh(x[0]); }},
    {"sqrt", [](const double* x) { return std::sqrt(x[0]); }},
    {"tan", [](const double* x) { return std::tan(x[0]); }},
    {"tanh", [](const double* x) { return std::tanh(x[0]); }},
    {"tgamma", [](const double* x) { return std::tgamma(x[0]); }},
    {"trunc", [](const double* x) { return std::trunc(x[0]); }},
};

// Those of two real numbers are there for these alone.
struct ComplexFunction {
  Form form;
  ComplexNumber (*of)(const ComplexNumber* x);
};
constexpr ComplexFunction kComplexFunctions[] = {
    {"#abs", [](const ComplexNumber* x) -> ComplexNumber { return std::abs(x[0]); }},
    {"#arg", [](const ComplexNumber* x) -> ComplexNumber { return std::arg(x[0]); }},
    {"#complex", [](const ComplexNumber* x) { return ComplexNumber(x[0].real(), x[1].real()); }},
    {"#conj", [](const ComplexNumber* x) { return std::conj(x[0]); }},
    {"#cos", [](const ComplexNumber* x) { return std::cos(x[0]); }},
    {"#cosh", [](const ComplexNumber* x) { return std::cosh(x[0]); }},
    {"#exp", [](const ComplexNumber* x) { return std::exp(x[0]); }},
    {"#imag", [](const ComplexNumber* x) -> ComplexNumber { return x[0].imag(); }},
    {"#log", [](const ComplexNumber* x) { return std::log(x[0]); }},
    {"#norm", [](const ComplexNumber* x) -> ComplexNumber { return std::norm(x[0]); }},
    {"#polar",
     [](const ComplexNumber* x) {
       const double r = x[0].real(), t = x[1].real();
       return ComplexNumber(r * std::cos(t), r * std::sin(t));
     }},
    {"#real", [](const ComplexNumber* x) -> ComplexNumber { return x[0].real(); }},
    {"#sin", [](const ComplexNumber* x) { return std::sin(x[0]); }},
    {"#sinh", [](const ComplexNumber* x) { return std::sinh(x[0]); }},
    {"#sqrt", [](const ComplexNumber* x) { return std::sqrt(x[0]); }},
    {"#square", [](const ComplexNumber* x) { return x[0] * x[0]; }},
};

// Calls the function of a table, in which functions.cpp has a row of each form. One that takes more arguments than it
// needs is called with two, again and again.
template <class T, class Table, class Convert>
T called(const Table& table, const Function& function, Form form, std::span<const Constant> arguments,
         Convert convert) {
  const auto* const one = std::ranges::find(table, form, [](const auto& row) { return row.form; });
  T x[3] = {};
  if (one == std::end(table) || function.least > std::size(x))  // not reached: a test calls each function
    throw std::logic_error(base::format("formulas do not compute {} of literals", function.name));
  for (std::size_t k = 0; k < function.least; ++k) x[k] = convert(arguments[k]);
  T value = one->of(x);
  for (std::size_t k = function.least; k < arguments.size(); ++k) {
    x[0] = value;
    x[1] = convert(arguments[k]);
    value = one->of(x);
  }
  return value;
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
  if (value < 0) return "-" + digits_of(-value);
  constexpr WideInteger kTen18 = 1'000'000'000'000'000'000;
  const std::string low = shortest(static_cast<std::uint64_t>(value % kTen18));
  return value < kTen18 ? low : digits_of(value / kTen18) + std::string(18 - low.size(), '0') + low;
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

Constant Constant::as(NumberKind larger) const {
  if (larger == kind) return *this;
  if (larger == NumberKind::Integer) return of(integer);
  return larger == NumberKind::Real ? of_real(as_real()) : of_complex(as_complex());
}

Type type_of(NumberKind kind) {
  switch (kind) {
    case NumberKind::Bool:
      return Type::Bool;
    case NumberKind::Integer:
      return Type::WeakInteger;
    case NumberKind::Real:
      return Type::WeakFloat;
    case NumberKind::Complex:
      break;
  }
  return Type::WeakComplex;
}

std::optional<Constant> compute(TokenKind symbol, const Constant& a) {
  if (symbol == TokenKind::Not) return Constant::of_bool(a.is_zero());
  const Constant value = a.as(std::max(a.kind, NumberKind::Integer));
  if (symbol != TokenKind::Minus) return value;
  if (value.is_integer()) return Constant::of(-value.integer);
  return value.is_complex() ? Constant::of_complex(-value.as_complex()) : Constant::of_real(-value.real);
}

std::optional<Constant> compute(TokenKind symbol, const Constant& a, const Constant& b) {
  if (symbol == TokenKind::And) return Constant::of_bool(!a.is_zero() && !b.is_zero());
  if (symbol == TokenKind::Or) return Constant::of_bool(!a.is_zero() || !b.is_zero());
  if (a.is_complex() || b.is_complex()) return compute_complex(symbol, a.as_complex(), b.as_complex());
  if (a.is_integer() && b.is_integer() && symbol != TokenKind::Divide)
    return compute_integers(symbol, a.integer, b.integer);
  return compute_reals(symbol, a.as_real(), b.as_real());
}

std::optional<Constant> compute(const Function& function, std::span<const Constant> arguments) {
  if (function.rule == Rule::Power || function.rule == Rule::Select) return std::nullopt;
  const NumberKind kind = std::ranges::max(arguments, {}, &Constant::kind).kind;
  const bool makes_complex = function.rule == Rule::MakeComplex;
  if (kind == NumberKind::Complex || makes_complex) {
    if (makes_complex == (kind == NumberKind::Complex)) return std::nullopt;
    const Form form = makes_complex ? function.real : function.complex;
    if (form.empty()) return std::nullopt;
    const ComplexNumber value = called<ComplexNumber>(kComplexFunctions, function, form, arguments,
                                                      [](const Constant& one) { return one.as_complex(); });
    return function.rule == Rule::Part ? Constant::of_real(value.real()) : Constant::of_complex(value);
  }
  if (kind == NumberKind::Real || function.integer.empty()) {
    const double value = called<double>(kRealFunctions, function, function.real, arguments,
                                        [](const Constant& one) { return one.as_real(); });
    return function.rule == Rule::Question ? Constant::of_bool(value != 0) : Constant::of_real(value);
  }
  if (function.integer == "#square") return times(arguments[0].integer, arguments[0].integer);
  return Constant::of(called<WideInteger>(kIntegerFunctions, function, function.integer, arguments,
                                          [](const Constant& one) { return one.integer; }));
}

bool fits(const Constant& constant, Type type) {
  if (type == Type::Bool) return true;
  if (is_integer(type))
    return constant.is_integer() && constant.integer < end_of(type) && constant.integer >= least_of(type);
  const auto fits_part = [&](double value) {
    if (!std::isfinite(value) || value == 0) return true;
    const double held = rounded(value, type);
    return std::isfinite(held) && held != 0;
  };
  return fits_part(constant.as_real()) &&
         (constant.imaginary == 0 || (is_complex(type) && fits_part(constant.imaginary)));
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
  if (constant.is_integer()) return Constant::of(std::clamp<WideInteger>(constant.integer, least, end - 1));
  if (std::isnan(constant.real)) return Constant::of(0);
  if (constant.real >= static_cast<double>(end)) return Constant::of(end - 1);
  if (constant.real <= static_cast<double>(least)) return Constant::of(least);
  return Constant::of(static_cast<WideInteger>(constant.real));
}

std::string in_cpp(const Constant& constant, Type type) {
  if (type == Type::Bool) return constant.is_zero() ? "false" : "true";
  if (is_integer(type)) return integer_in_cpp(constant.integer, type);
  const bool is_float = real_of(computed_as(type)) == Type::F32;
  const auto part_in_cpp = [&](double part) {
    const double value = rounded(part, type);
    return is_float ? float_in_cpp(static_cast<float>(value)) : double_in_cpp(value);
  };
  std::string real = part_in_cpp(constant.as_real());
  if (!is_complex(type)) return real;
  if (!constant.is_complex()) return base::format("{}({})", in_cpp(type), real);
  return base::format("{}({}, {})", in_cpp(type), real, part_in_cpp(constant.imaginary));
}

std::string to_text(const Constant& constant) {
  if (constant.is_integer()) return digits_of(constant.integer);
  std::string real = shortest(constant.real);
  if (!constant.is_complex()) return real;
  return base::format("{}{}{}j", real, std::signbit(constant.imaginary) ? "" : "+", shortest(constant.imaginary));
}

}  // namespace graft::formulas
