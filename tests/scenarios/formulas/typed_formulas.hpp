// Formulas of variables of several types, with the type and the value that each has on every route, and the one
// callback that holds them all.
#pragma once

#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "support/chosen.hpp"

namespace graft::test {

// One element of each variable, and what the formulas' parameters are.
struct TypedValues {
  float x;
  double d;
  int i;
  unsigned u;
  long long k;
  short s;
  unsigned char c;
  bool m;
  float h;  // in the callback a __half
};
inline constexpr std::string_view kTypedParameters =
    "float x, double d, int i, unsigned u, long long k, short s, unsigned char c, bool m, __half h";
inline constexpr std::string_view kTypedArguments = "x, d, i, u, k, s, c, m, h";

inline constexpr std::array<TypedValues, 3> kTypedValues = {
    TypedValues{1.25f, 2.5, 3, 5u, 7, 2, 200, true, 0.5f},
    TypedValues{-0.75f, 0.5, -4, 4294967290u, -9, -3, 1, false, -1.5f},
    TypedValues{0.5f, -3, 1, 2u, 1ll << 40, 300, 0, true, 2.25f},
};

struct TypedFormula {
  std::string_view text;
  std::string_view type;  // as graft::Signature writes it
  double (*value)(const TypedValues& v);
};

#define GRAFT_FORMULA(text, type, ...)                                                                           \
  {                                                                                                              \
    text, type, []([[maybe_unused]] const TypedValues& v) -> double { return static_cast<double>(__VA_ARGS__); } \
  }

inline constexpr auto kTypedFormulas = std::to_array<TypedFormula>({
    // min and max have the type of the sum.
    GRAFT_FORMULA("max(x, d)", "double", std::fmax(v.x, v.d)),
    GRAFT_FORMULA("max(x, i)", "float", std::fmax(v.x, static_cast<float>(v.i))),
    GRAFT_FORMULA("min(d, 1)", "double", std::fmin(v.d, 1)),
    GRAFT_FORMULA("max(i, 2)", "int", std::max(v.i, 2)),
    GRAFT_FORMULA("max(i, u)", "unsigned int", std::max(static_cast<unsigned>(v.i), v.u)),
    GRAFT_FORMULA("max(k, i)", "long long", std::max<long long>(v.k, v.i)),
    GRAFT_FORMULA("min(k, 2)", "long long", std::min<long long>(v.k, 2)),
    GRAFT_FORMULA("max(c, s)", "int", std::max<int>(v.c, v.s)),
    GRAFT_FORMULA("max(s, 1L)", "long", std::max<long>(v.s, 1)),
    GRAFT_FORMULA("min(m, 2)", "int", std::min<int>(v.m, 2)),
    GRAFT_FORMULA("max(u, 3)", "unsigned int", std::max(v.u, 3u)),
    GRAFT_FORMULA("std::max(x, 1.0f)", "float", std::max(v.x, 1.0f)),
    GRAFT_FORMULA("std::max<float>(x, 0)", "float", std::max<float>(v.x, 0)),
    GRAFT_FORMULA("std::min(i, 3)", "int", std::min(v.i, 3)),
    GRAFT_FORMULA("std::clamp(i, 0, 2)", "int", std::clamp(v.i, 0, 2)),
    GRAFT_FORMULA("std::max({x, 1.f, 0.f})", "float", std::max({v.x, 1.f, 0.f})),
    GRAFT_FORMULA("fmax(d, x)", "double", std::fmax(v.d, v.x)),
    GRAFT_FORMULA("fmax(i, u)", "double", std::fmax(v.i, v.u)),
    GRAFT_FORMULA("fmin(c, s)", "double", std::fmin(v.c, v.s)),
    GRAFT_FORMULA("fmax(x, k)", "float", std::fmax(v.x, static_cast<float>(v.k))),
    GRAFT_FORMULA("fmaxf(x, 0)", "float", std::fmax(v.x, 0)),
    GRAFT_FORMULA("umax(u, 2u)", "unsigned int", std::max(v.u, 2u)),
    // pow
    GRAFT_FORMULA("pow(x, i)", "float", std::pow(v.x, static_cast<float>(v.i))),
    GRAFT_FORMULA("pow(x, s)", "float", std::pow(v.x, static_cast<float>(v.s))),
    GRAFT_FORMULA("pow(x * x, d)", "double", std::pow(v.x* v.x, v.d)),
    GRAFT_FORMULA("pow(d, i)", "double", std::pow(v.d, v.i)),
    GRAFT_FORMULA("pow(i, i)", "double", std::pow(v.i, v.i)),
    GRAFT_FORMULA("pow(i, 2)", "double", std::pow(v.i, 2)),
    GRAFT_FORMULA("pow(c, 2)", "double", std::pow(v.c, 2)),
    GRAFT_FORMULA("pow(k, 2)", "double", std::pow(static_cast<double>(v.k), 2)),
    GRAFT_FORMULA("pow(x, -1)", "float", 1 / v.x),
    GRAFT_FORMULA("pow(2, 0.5)", "double", std::sqrt(2.0)),
    GRAFT_FORMULA("powf(x, 2)", "float", v.x* v.x),
    GRAFT_FORMULA("std::pow(i, 2)", "double", std::pow(v.i, 2)),
    GRAFT_FORMULA("std::pow(d, x * x)", "double", std::pow(v.d, static_cast<double>(v.x* v.x))),
    // abs
    GRAFT_FORMULA("abs(i)", "int", std::abs(v.i)),
    GRAFT_FORMULA("abs(d)", "double", std::abs(v.d)),
    GRAFT_FORMULA("abs(k)", "long long", std::abs(v.k)),
    GRAFT_FORMULA("abs(s)", "int", std::abs(v.s)),
    GRAFT_FORMULA("abs(x - i)", "float", std::abs(v.x - static_cast<float>(v.i))),
    GRAFT_FORMULA("abs(k - i)", "long long", std::abs(v.k - v.i)),
    GRAFT_FORMULA("labs(i)", "long", std::abs(v.i)),
    GRAFT_FORMULA("std::llabs(k)", "long long", std::abs(v.k)),
    GRAFT_FORMULA("std::abs(i)", "int", std::abs(v.i)),
    GRAFT_FORMULA("fabs(i)", "double", std::abs(v.i)),
    GRAFT_FORMULA("fabsf(i)", "float", std::abs(v.i)),
    // Functions of integers.
    GRAFT_FORMULA("sqrt(u)", "double", std::sqrt(v.u)),
    GRAFT_FORMULA("sqrt(x * x * i * i)", "float", std::sqrt(v.x* v.x* static_cast<float>(v.i* v.i))),
    GRAFT_FORMULA("cbrt(i)", "double", std::cbrt(v.i)),
    GRAFT_FORMULA("exp(m)", "double", std::exp(v.m)),
    GRAFT_FORMULA("exp2(s / 100)", "double", std::exp2(v.s / 100)),
    GRAFT_FORMULA("log2(u)", "double", std::log2(v.u)),
    GRAFT_FORMULA("log1p(c)", "double", std::log1p(v.c)),
    GRAFT_FORMULA("sin(c)", "double", std::sin(v.c)),
    GRAFT_FORMULA("atan2(i, 2)", "double", std::atan2(v.i, 2)),
    GRAFT_FORMULA("atan2(c, s)", "double", std::atan2(v.c, v.s)),
    GRAFT_FORMULA("hypot(s, s)", "double", std::hypot(v.s, v.s)),
    GRAFT_FORMULA("hypot(x, u)", "float", std::hypot(v.x, static_cast<float>(v.u))),
    GRAFT_FORMULA("hypot(i, i, i)", "double", std::hypot(v.i, v.i, v.i)),
    GRAFT_FORMULA("fmod(i, 3)", "double", std::fmod(v.i, 3)),
    GRAFT_FORMULA("fmod(x, 2u)", "float", std::fmod(v.x, 2.0f)),
    GRAFT_FORMULA("fdim(i, x)", "float", std::fdim(static_cast<float>(v.i), v.x)),
    GRAFT_FORMULA("copysign(i, x)", "float", std::copysign(static_cast<float>(v.i), v.x)),
    GRAFT_FORMULA("copysign(i, i)", "double", v.i),
    GRAFT_FORMULA("fma(c, 2, 3)", "double", v.c * 2 + 3),
    GRAFT_FORMULA("fma(x, i, d)", "double", std::fma(static_cast<double>(v.x), v.i, v.d)),
    GRAFT_FORMULA("std::fma(x, 2, 1)", "float", std::fma(v.x, 2.0f, 1.0f)),
    GRAFT_FORMULA("ldexp(i, 2)", "double", v.i * 4),
    GRAFT_FORMULA("floor(i)", "double", v.i),
    GRAFT_FORMULA("std::floor(i)", "double", v.i),
    GRAFT_FORMULA("ceil(i / 2)", "double", v.i / 2),
    GRAFT_FORMULA("lround(i)", "long", v.i),
    GRAFT_FORMULA("llround(d)", "long long", std::llround(v.d)),
    GRAFT_FORMULA("nextafter(x, 2)", "float", std::nextafter(v.x, 2.0f)),
    // Questions.
    GRAFT_FORMULA("isnan(d)", "int", std::isnan(v.d) ? 1 : 0),
    GRAFT_FORMULA("std::isnan(i)", "int", 0),
    GRAFT_FORMULA("std::signbit(i)", "int", v.i < 0 ? 1 : 0),
    GRAFT_FORMULA("isnormal(x)", "bool", 1),
    GRAFT_FORMULA("isless(x, 1.f)", "bool", v.x < 1),
    GRAFT_FORMULA("isgreaterequal(d, x)", "bool", v.d >= v.x),
    GRAFT_FORMULA("isunordered(x, x)", "bool", 0),
    GRAFT_FORMULA("std::isgreater(x, 1)", "bool", v.x > 1),
    GRAFT_FORMULA("isgreater(u, i)", "bool", static_cast<double>(v.u) > v.i),
    GRAFT_FORMULA("std::isgreaterequal(i, u)", "bool", v.i >= static_cast<double>(v.u)),
    // Operators.
    GRAFT_FORMULA("1 / 3 * x", "float", 0),
    GRAFT_FORMULA("1.0 / 3 * x", "double", v.x / 3.0),
    GRAFT_FORMULA("-i / 2", "int", -v.i / 2),
    GRAFT_FORMULA("i % 3", "int", v.i % 3),
    GRAFT_FORMULA("c << 24", "int", static_cast<int>(static_cast<unsigned>(v.c) << 24)),
    GRAFT_FORMULA("c + 1", "int", v.c + 1),
    GRAFT_FORMULA("i < u", "bool", static_cast<unsigned>(v.i) < v.u),
    GRAFT_FORMULA("not m", "bool", !v.m),
    GRAFT_FORMULA("x > 0 ? x : 0", "float", v.x > 0 ? v.x : 0),
    GRAFT_FORMULA("x > 0 ? x : 0.0", "double", v.x > 0 ? v.x : 0),
    GRAFT_FORMULA("m ? i : u", "unsigned int", v.m ? static_cast<unsigned>(v.i) : v.u),
    GRAFT_FORMULA("true + true", "int", 2),
    GRAFT_FORMULA("'a' + 1", "int", 98),
    GRAFT_FORMULA("sizeof(long)", "unsigned long", 8),
    GRAFT_FORMULA("0x1p3f * x", "float", 8 * v.x),
    // Numbers of halves.
    GRAFT_FORMULA("h + h", "__half", 2 * v.h),
    GRAFT_FORMULA("-h", "__half", -v.h),
    GRAFT_FORMULA("h > __half(0) ? h : __half(0)", "__half", v.h > 0 ? v.h : 0),
    GRAFT_FORMULA("float(h) * 2", "float", v.h * 2),
    GRAFT_FORMULA("sqrt(h * h)", "float", std::fabs(v.h)),
    GRAFT_FORMULA("exp(h)", "float", std::exp(v.h)),
    GRAFT_FORMULA("floor(h)", "float", std::floor(v.h)),
    GRAFT_FORMULA("fabs(h)", "float", std::fabs(v.h)),
    GRAFT_FORMULA("fmax(h, h)", "float", v.h),
    GRAFT_FORMULA("std::max(h, h)", "__half", v.h),
    // Constants and functions of CUDA's.
    GRAFT_FORMULA("M_PI * x", "double", std::numbers::pi* v.x),
    GRAFT_FORMULA("INFINITY", "float", HUGE_VAL),
    GRAFT_FORMULA("INT32_MAX", "int", std::numeric_limits<int>::max()),
    GRAFT_FORMULA("UINT8_MAX", "int", 255),
    GRAFT_FORMULA("std::numeric_limits<int>::max()", "int", std::numeric_limits<int>::max()),
    GRAFT_FORMULA("__saturatef(x)", "float", std::clamp(v.x, 0.f, 1.f)),
    GRAFT_FORMULA("__ll2float_rn(k)", "float", static_cast<float>(v.k)),
    GRAFT_FORMULA("__uint2double_rn(u)", "double", v.u),
    GRAFT_FORMULA("__hiloint2double(__double2hiint(d), __double2loint(d))", "double", v.d),
    GRAFT_FORMULA("__mul24(i, s)", "int", v.i* v.s),
    GRAFT_FORMULA("__umul24(u, 3u)", "unsigned int", (v.u & 0xffffffu) * 3u),
    GRAFT_FORMULA("__drcp_rn(d)", "double", 1 / v.d),
    GRAFT_FORMULA("__popc(u)", "int", std::popcount(v.u)),
    GRAFT_FORMULA("__float_as_int(x) & 0x7fffffff", "int", std::bit_cast<int>(v.x) & 0x7fffffff),
    GRAFT_FORMULA("make_float2(x, 1).y", "float", 1),
});
#undef GRAFT_FORMULA

// The callback whose state chooses one of the formulas.
inline Callback all_typed_formulas() {
  std::string text = "#include <type_traits>\n";
  std::vector<std::string> calls;
  for (const TypedFormula& one : kTypedFormulas) {
    base::append(text, "static __device__ {} formula_{}({}) {{\n", one.type, calls.size(), kTypedParameters);
    base::append(text, "  static_assert(std::is_same_v<std::decay_t<decltype(({}))>, {}>, \"another type\");\n",
                 one.text, one.type);
    base::append(text, "  return {};\n}}\n", one.text);
    calls.push_back(base::format("formula_{}({})", calls.size(), kTypedArguments));
  }
  return chosen_of(text, std::string(kTypedParameters), calls);
}

// The value of a type that a result of 16 bytes begins with.
inline double typed_value(std::string_view type, const void* result) {
  const auto as = [&](auto value) {
    std::memcpy(&value, result, sizeof value);
    return static_cast<double>(value);
  };
  if (type == "float") return as(float());
  if (type == "double") return as(double());
  if (type == "int") return as(int());
  if (type == "unsigned int") return as(unsigned());
  if (type == "long") return as(long());
  if (type == "unsigned long") return as(0ul);
  if (type == "long long") return as(0ll);
  if (type == "bool") return as(bool());
  if (type == "__half")
    return static_cast<double>(static_cast<float>([&] {
      __half value;
      std::memcpy(&value, result, sizeof value);
      return value;
    }()));
  throw std::runtime_error("no type " + std::string(type));
}

// Expects the formula's value of element `i`, within the errors of the functions on a GPU.
inline void expect_value(const TypedFormula& formula, std::size_t i, double found) {
  const double value = formula.value(kTypedValues.at(i));
  const double precision = formula.type == "double" ? 1e-14 : formula.type == "float" ? 1e-6 : 0;
  const bool is_equal = found == value || (std::isnan(found) && std::isnan(value));
  EXPECT_TRUE(is_equal || std::fabs(found - value) <= precision * std::fmax(1, std::fabs(value)))
      << formula.text << " of element " << i << " is " << found << ", and should be " << value;
}

}  // namespace graft::test
