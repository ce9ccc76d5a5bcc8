// Each helper is a text in which $T stands for the type of its values, $U for the unsigned type of the same size, $R
// for the type of the real part, $C for the type as a complex number, $N for the type's short name, and $f for the
// letter behind the names of C's functions: "sqrt$f" is sqrtf for f32. $L is the largest floating-point number.
#include "formula/helpers.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/format.hpp"
#include "base/phrases.hpp"
#include "formula/constant.hpp"

namespace graft::formulas {
namespace {

// For which types a text is.
enum class For : std::uint8_t { Signed, Unsigned, Integer, Real, SignedOrReal, Both, Complex };

struct Helper {
  std::string_view name;
  For types;
  std::string_view result;  // the type of the result
  std::string_view parameters;
  std::string_view body;
  std::string_view needs = {};  // another helper for the same type
};

constexpr Helper kHelpers[] = {
    // Integers. Products and differences are computed without sign, because overflow of signed integers is undefined in
    // C++. Unsigned integers have texts of their own, because compilers warn about comparisons with zero.
    {"floor_divide", For::Signed, "$T", "$T graft_a, $T graft_b",
     "  if (graft_b == 0) return 0;\n"
     "  if (graft_b == -1) return ($T)(0 - ($U)graft_a);\n"
     "  const $T graft_q = ($T)(graft_a / graft_b);\n"
     "  return graft_a % graft_b != 0 && (graft_a < 0) != (graft_b < 0) ? ($T)(graft_q - 1) : graft_q;\n"},
    {"floor_divide", For::Unsigned, "$T", "$T graft_a, $T graft_b",
     "  return graft_b == 0 ? 0 : ($T)(graft_a / graft_b);\n"},
    {"remainder", For::Signed, "$T", "$T graft_a, $T graft_b",
     "  if (graft_b == 0 || graft_b == -1) return 0;\n"
     "  const $T graft_r = ($T)(graft_a % graft_b);\n"
     "  return graft_r != 0 && (graft_r < 0) != (graft_b < 0) ? ($T)(graft_r + graft_b) : graft_r;\n"},
    {"remainder", For::Unsigned, "$T", "$T graft_a, $T graft_b",
     "  return graft_b == 0 ? 0 : ($T)(graft_a % graft_b);\n"},
    {"power", For::Signed, "$T", "$T graft_a, $T graft_n",
     "  if (graft_n < 0) return graft_a == 1 ? 1 : graft_a != -1 ? 0 : graft_n % 2 == 0 ? 1 : -1;\n"
     "  $U graft_base = ($U)graft_a;\n"
     "  $U graft_value = 1;\n"
     "  for (; graft_n > 0; graft_n /= 2) {\n"
     "    if (graft_n % 2 != 0) graft_value *= graft_base;\n"
     "    graft_base *= graft_base;\n"
     "  }\n"
     "  return ($T)graft_value;\n"},
    {"power", For::Unsigned, "$T", "$T graft_a, $T graft_n",
     "  $U graft_base = graft_a;\n"
     "  $U graft_value = 1;\n"
     "  for (; graft_n != 0; graft_n /= 2) {\n"
     "    if (graft_n % 2 != 0) graft_value *= graft_base;\n"
     "    graft_base *= graft_base;\n"
     "  }\n"
     "  return ($T)graft_value;\n"},
    {"abs", For::Signed, "$T", "$T graft_a", "  return graft_a < 0 ? ($T)(0 - ($U)graft_a) : graft_a;\n"},
    // How an i64 compares with a u64: -1, 0 or 1. No type holds the values of both.
    {"order", For::Signed, "int", "$T graft_a, $U graft_b",
     "  if (graft_a < 0) return -1;\n"
     "  return ($U)graft_a < graft_b ? -1 : ($U)graft_a > graft_b ? 1 : 0;\n"},
    {"abs", For::Unsigned, "$T", "$T graft_a", "  return graft_a;\n"},
    {"relu", For::Unsigned, "$T", "$T graft_a", "  return graft_a;\n"},
    {"sign", For::Unsigned, "$T", "$T graft_a", "  return graft_a != 0 ? 1 : 0;\n"},
    {"square", For::Integer, "$T", "$T graft_a", "  return ($T)(($U)graft_a * ($U)graft_a);\n"},

    // Floating-point numbers.
    {"remainder", For::Real, "$T", "$T graft_a, $T graft_b",
     "  const $T graft_r = fmod$f(graft_a, graft_b);\n"
     "  if (graft_r == 0) return copysign$f(graft_r, graft_b);\n"
     "  return (graft_r < 0) != (graft_b < 0) ? graft_r + graft_b : graft_r;\n"},
    // As floor_divide() of constant.cpp.
    {"floor_divide", For::Real, "$T", "$T graft_a, $T graft_b",
     "  if (graft_b == 0) return graft_a / graft_b;\n"
     "  const $T graft_r = fmod$f(graft_a, graft_b);\n"
     "  const $T graft_q = rint$f((graft_a - graft_r) / graft_b);\n"
     "  if (graft_r != 0 && (graft_r < 0) != (graft_b < 0)) return graft_q - 1;\n"
     "  return graft_q == 0 ? copysign$f(($T)0, graft_a / graft_b) : graft_q;\n"},
    {"divide", For::Real, "$T", "$T graft_a, $T graft_b", "  return graft_a / graft_b;\n"},
    {"square", For::Real, "$T", "$T graft_a", "  return graft_a * graft_a;\n"},
    {"cube", For::Real, "$T", "$T graft_a", "  return graft_a * graft_a * graft_a;\n"},
    {"fourth", For::Real, "$T", "$T graft_a",
     "  const $T graft_b = graft_a * graft_a;\n"
     "  return graft_b * graft_b;\n"},
    {"deg2rad", For::Real, "$T", "$T graft_a", "  return graft_a * ($T)0.017453292519943295;\n"},
    {"rad2deg", For::Real, "$T", "$T graft_a", "  return graft_a * ($T)57.29577951308232;\n"},
    {"fract", For::Real, "$T", "$T graft_a", "  return graft_a - floor$f(graft_a);\n"},
    {"sigmoid", For::Real, "$T", "$T graft_a", "  return 1 / (1 + exp$f(-graft_a));\n"},
    {"lerp", For::Real, "$T", "$T graft_a, $T graft_b, $T graft_t",
     "  return graft_a + graft_t * (graft_b - graft_a);\n"},
    {"isnan", For::Real, "bool", "$T graft_a", "  return graft_a != graft_a;\n"},
    // No difference of the argument and itself: if the argument is a product, a GPU may fuse the two, and then the
    // difference is what the product was rounded by.
    {"isfinite", For::Real, "bool", "$T graft_a", "  return graft_a >= -$L && graft_a <= $L;\n"},
    {"isinf", For::Real, "bool", "$T graft_a", "  return graft_a < -$L || graft_a > $L;\n"},
    {"arg", For::Real, "$T", "$T graft_a", "  return atan2$f(($T)0, graft_a);\n"},
    {"complex", For::Real, "$C", "$T graft_a, $T graft_b", "  return $C(graft_a, graft_b);\n"},
    {"polar", For::Real, "$C", "$T graft_r, $T graft_t",
     "  return $C(graft_r * cos$f(graft_t), graft_r * sin$f(graft_t));\n"},

    // Both. A nan among the arguments is the result, and no comparison is true of a nan.
    {"min", For::Both, "$T", "$T graft_a, $T graft_b",
     "  return graft_a < graft_b || graft_a != graft_a ? graft_a : graft_b;\n"},
    {"max", For::Both, "$T", "$T graft_a, $T graft_b",
     "  return graft_a > graft_b || graft_a != graft_a ? graft_a : graft_b;\n"},
    {"clamp", For::Both, "$T", "$T graft_a, $T graft_b, $T graft_c",
     "  return graft_min_$N(graft_max_$N(graft_a, graft_b), graft_c);\n", "max min"},
    {"relu", For::SignedOrReal, "$T", "$T graft_a", "  return graft_a < 0 ? 0 : graft_a;\n"},
    {"sign", For::SignedOrReal, "$T", "$T graft_a", "  return graft_a > 0 ? 1 : graft_a < 0 ? ($T)-1 : graft_a;\n"},
    {"step", For::Both, "$T", "$T graft_edge, $T graft_a", "  return graft_a >= graft_edge ? 1 : 0;\n"},
    {"zero", For::Both, "$T", "$T", "  return 0;\n"},

    // Complex numbers. A real number is not made complex for a product, a sum or a quotient: infinite parts stay apart.
    {"times", For::Complex, "$T", "$T graft_a, $T graft_b",
     "  return $T(graft_a.re * graft_b.re - graft_a.im * graft_b.im,\n"
     "            graft_a.re * graft_b.im + graft_a.im * graft_b.re);\n"},
    {"scale", For::Complex, "$T", "$T graft_a, $R graft_b",
     "  return $T(graft_a.re * graft_b, graft_a.im * graft_b);\n"},
    {"unscale", For::Complex, "$T", "$T graft_a, $R graft_b",
     "  return $T(graft_a.re / graft_b, graft_a.im / graft_b);\n"},
    // Divides by the part of the divisor that is larger, so that no square overflows.
    {"divide", For::Complex, "$T", "$T graft_a, $T graft_b",
     "  if (fabs$f(graft_b.re) >= fabs$f(graft_b.im)) {\n"
     "    const $R graft_r = graft_b.im / graft_b.re;\n"
     "    const $R graft_d = graft_b.re + graft_b.im * graft_r;\n"
     "    return $T((graft_a.re + graft_a.im * graft_r) / graft_d, (graft_a.im - graft_a.re * graft_r) / graft_d);\n"
     "  }\n"
     "  const $R graft_r = graft_b.re / graft_b.im;\n"
     "  const $R graft_d = graft_b.re * graft_r + graft_b.im;\n"
     "  return $T((graft_a.re * graft_r + graft_a.im) / graft_d, (graft_a.im * graft_r - graft_a.re) / graft_d);\n"},
    {"is_true", For::Complex, "bool", "$T graft_a", "  return graft_a.re != 0 || graft_a.im != 0;\n"},
    {"real", For::Complex, "$R", "$T graft_a", "  return graft_a.re;\n"},
    {"imag", For::Complex, "$R", "$T graft_a", "  return graft_a.im;\n"},
    {"conj", For::Complex, "$T", "$T graft_a", "  return $T(graft_a.re, -graft_a.im);\n"},
    {"abs", For::Complex, "$R", "$T graft_a", "  return hypot$f(graft_a.re, graft_a.im);\n"},
    {"arg", For::Complex, "$R", "$T graft_a", "  return atan2$f(graft_a.im, graft_a.re);\n"},
    {"norm", For::Complex, "$R", "$T graft_a", "  return graft_a.re * graft_a.re + graft_a.im * graft_a.im;\n"},
    {"square", For::Complex, "$T", "$T graft_a", "  return graft_times_$N(graft_a, graft_a);\n", "times"},
    {"cube", For::Complex, "$T", "$T graft_a", "  return graft_times_$N(graft_times_$N(graft_a, graft_a), graft_a);\n",
     "times"},
    {"fourth", For::Complex, "$T", "$T graft_a",
     "  const $T graft_b = graft_times_$N(graft_a, graft_a);\n"
     "  return graft_times_$N(graft_b, graft_b);\n",
     "times"},
    {"exp", For::Complex, "$T", "$T graft_a",
     "  const $R graft_e = exp$f(graft_a.re);\n"
     "  if (graft_a.im == 0) return $T(graft_e, graft_a.im);\n"
     "  return $T(graft_e * cos$f(graft_a.im), graft_e * sin$f(graft_a.im));\n"},
    {"log", For::Complex, "$T", "$T graft_a",
     "  return $T(log$f(hypot$f(graft_a.re, graft_a.im)), atan2$f(graft_a.im, graft_a.re));\n"},
    {"sqrt", For::Complex, "$T", "$T graft_a",
     "  const $R graft_m = hypot$f(graft_a.re, graft_a.im);\n"
     "  if (graft_m == 0) return $T(0, graft_a.im);\n"
     "  const $R graft_s = sqrt$f((graft_m / 2) + fabs$f(graft_a.re) / 2);\n"
     "  const $R graft_t = graft_a.im / (2 * graft_s);\n"
     "  return graft_a.re >= 0 ? $T(graft_s, graft_t) : $T(fabs$f(graft_t), copysign$f(graft_s, graft_a.im));\n"},
    {"sin", For::Complex, "$T", "$T graft_a",
     "  return $T(sin$f(graft_a.re) * cosh$f(graft_a.im), cos$f(graft_a.re) * sinh$f(graft_a.im));\n"},
    {"cos", For::Complex, "$T", "$T graft_a",
     "  return $T(cos$f(graft_a.re) * cosh$f(graft_a.im), -(sin$f(graft_a.re) * sinh$f(graft_a.im)));\n"},
    {"sinh", For::Complex, "$T", "$T graft_a",
     "  return $T(sinh$f(graft_a.re) * cos$f(graft_a.im), cosh$f(graft_a.re) * sin$f(graft_a.im));\n"},
    {"cosh", For::Complex, "$T", "$T graft_a",
     "  return $T(cosh$f(graft_a.re) * cos$f(graft_a.im), sinh$f(graft_a.re) * sin$f(graft_a.im));\n"},
    {"power", For::Complex, "$T", "$T graft_a, $T graft_b",
     "  if (graft_b.re == 0 && graft_b.im == 0) return $T(1, 0);\n"
     "  if (graft_a.re == 0 && graft_a.im == 0 && graft_b.re > 0) return $T(0, 0);\n"
     "  return graft_exp_$N(graft_times_$N(graft_log_$N(graft_a), graft_b));\n",
     "exp times log"},
};

bool is_for(For types, Type type) {
  switch (types) {
    case For::Signed:
      return is_signed(type);
    case For::Unsigned:
      return is_integer(type) && !is_signed(type);
    case For::Integer:
      return is_integer(type);
    case For::SignedOrReal:
      return is_signed(type) || is_floating(type);
    case For::Real:
      return is_floating(type);
    case For::Both:
      return is_integer(type) || is_floating(type);
    case For::Complex:
      break;
  }
  return is_complex(type);
}

std::string largest_in_cpp(Type real) {
  if (!is_floating(real)) return {};
  const double largest =
      real == Type::F32 ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
  return in_cpp(Constant::of_real(largest), real);
}

// Fills in the names of a type, of which the templates above have the beginnings with a dollar.
class Filling {
 public:
  explicit Filling(Type type) : largest_(largest_in_cpp(real_of(type))) {
    const Type real = real_of(type);
    values_ = {{{"$T", in_cpp(type)},
                {"$U", unsigned_in_cpp(type)},
                {"$R", in_cpp(real)},
                {"$C", in_cpp(complex_of(real))},
                {"$N", name(type)},
                {"$f", real == Type::F32 ? "f" : ""},
                {"$L", largest_}}};
  }
  Filling(const Filling&) = delete;
  Filling& operator=(const Filling&) = delete;

  std::string operator()(std::string_view text) const { return base::with_phrases(std::string(text), values_); }

 private:
  std::string largest_;
  std::array<base::Phrase, 7> values_;
};

const Helper& find_helper(std::string_view wanted, Type type) {
  for (const Helper& helper : kHelpers)
    if (helper.name == wanted && is_for(helper.types, type)) return helper;
  // Not reached: functions.cpp and the writer name helpers of this table.
  throw std::logic_error(base::format("formulas have no helper {} for {}", wanted, name(type)));
}

// The bodies of conversions. The bounds are powers of two, which f32 and f64 hold. A comparison with nan is false.
std::string saturate_floating(Type from, Type to) {
  const auto bound = [&](WideInteger value) { return in_cpp(Constant::of_real(static_cast<double>(value)), from); };
  std::string body;
  base::append(body, "  if (graft_a >= {}) return {};\n", bound(end_of(to)), in_cpp(Constant::of(end_of(to) - 1), to));
  base::append(body, "  if (graft_a <= {}) return {};\n", bound(least_of(to)), in_cpp(Constant::of(least_of(to)), to));
  base::append(body, "  return graft_a == graft_a ? ({})graft_a : ({})0;\n", in_cpp(to), in_cpp(to));
  return body;
}

std::string saturate_integer(Type from, Type to) {
  std::string body;
  if (least_of(from) < least_of(to))
    base::append(body, "  if (graft_a < {}) return {};\n", in_cpp(Constant::of(least_of(to)), from),
                 in_cpp(Constant::of(least_of(to)), to));
  if (end_of(from) > end_of(to))
    base::append(body, "  if (graft_a > {}) return {};\n", in_cpp(Constant::of(end_of(to) - 1), from),
                 in_cpp(Constant::of(end_of(to) - 1), to));
  base::append(body, "  return ({})graft_a;\n", in_cpp(to));
  return body;
}

// Whether a body has much code.
bool is_long(std::string_view body) {
  constexpr std::array<std::string_view, 5> kSigns = {"$f(", " / ", "for (", "graft_a.im * graft_b.im", "graft_exp_"};
  return std::ranges::any_of(kSigns, [&](std::string_view sign) { return body.find(sign) != body.npos; });
}

}  // namespace

bool has_much_code(std::string_view helper, Type type) {
  return is_long(find_helper(helper, computed_as(type)).body);
}

bool has_much_code_in_c(std::string_view function) {
  constexpr std::array<std::string_view, 8> kShort = {"fabs",  "ceil",     "floor", "rint",
                                                      "trunc", "copysign", "fma",   "sqrt"};
  return std::ranges::find(kShort, function) == kShort.end();
}

void Helpers::define(std::string_view result, std::string_view name, std::string_view parameters, std::string_view body,
                     bool is_called) {
  base::append(text_, "static __device__ {} {} {}({}) {{\n{}}}\n",
               is_called ? "__attribute__((noinline))" : "__forceinline__", result, name, parameters, body);
}

bool Helpers::add(const std::string& name) {
  if (std::ranges::find(names_, name) != names_.end()) return false;
  names_.push_back(name);
  return true;
}

std::string Helpers::use(std::string_view wanted, Type type) {
  type = computed_as(type);
  std::string call = base::format("graft_{}_{}", wanted, name(type));
  if (!add(call)) return call;
  const Helper& helper = find_helper(wanted, type);
  for (std::string_view needs = helper.needs; !needs.empty();) {
    const std::size_t end = std::min(needs.find(' '), needs.size());
    use(needs.substr(0, end), type);
    needs.remove_prefix(std::min(end + 1, needs.size()));
  }
  const bool is_called = are_called_ && is_long(helper.body);
  const Filling filled(type);
  define(filled(helper.result), call, filled(helper.parameters), filled(helper.body), is_called);
  return call;
}

std::string Helpers::use_c(std::string_view function, Type type, std::size_t arguments) {
  type = computed_as(type);
  std::string in_c = base::format("{}{}", function, type == Type::F32 ? "f" : "");
  if (!are_called_ || !has_much_code_in_c(function)) return in_c;
  std::string call = base::format("graft_{}_{}", function, name(type));
  if (!add(call)) return call;
  std::string parameters;
  std::string passed;
  for (std::size_t k = 0; k < arguments; ++k) {
    base::append(parameters, "{}{} graft_{}", k == 0 ? "" : ", ", in_cpp(type), k);
    base::append(passed, "{}graft_{}", k == 0 ? "" : ", ", k);
  }
  define(in_cpp(type), call, parameters, base::format("  return {}({});\n", in_c, passed), true);
  return call;
}

std::string Helpers::use_conversion(Type from, Type to) {
  from = computed_as(from);
  std::string call = base::format("graft_{}_to_{}", name(from), name(to));
  if (add(call))
    define(in_cpp(to), call, base::format("{} graft_a", in_cpp(from)),
           is_complex(to)     ? base::format("  return {}(graft_a.re, graft_a.im);\n", in_cpp(to))
           : is_integer(from) ? saturate_integer(from, to)
                              : saturate_floating(from, to),
           false);
  return call;
}

}  // namespace graft::formulas
