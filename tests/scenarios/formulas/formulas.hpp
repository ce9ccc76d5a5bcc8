// Everyday formulas of a float x, with the type and the value that each has on every route. tests/gpu runs them too.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <string_view>

namespace graft::test {

struct Formula {
  std::string_view text;
  std::string_view type;  // the type of the result, as graft::Signature writes it
  double (*value)(double x);
};

inline constexpr auto kFormulas = std::to_array<Formula>({
    // Numbers of two types.
    {"max(x, 0)", "float", [](double x) { return std::fmax(x, 0); }},
    {"max(0, x)", "float", [](double x) { return std::fmax(x, 0); }},
    {"max(x, 0u)", "float", [](double x) { return std::fmax(x, 0); }},
    {"max(x, 0L)", "float", [](double x) { return std::fmax(x, 0); }},
    {"max(x, true)", "float", [](double x) { return std::fmax(x, 1); }},
    {"max(x, 0.5)", "double", [](double x) { return std::fmax(x, 0.5); }},
    {"max(x, 0.5f)", "float", [](double x) { return std::fmax(x, 0.5); }},
    {"min(x, 1)", "float", [](double x) { return std::fmin(x, 1); }},
    {"min(max(x, 0), 1)", "float", [](double x) { return std::fmin(std::fmax(x, 0), 1); }},
    {"max(3, 4L)", "long", [](double) { return 4.0; }},
    {"max(3, 4)", "int", [](double) { return 4.0; }},
    {"max(-1, 4u)", "unsigned int", [](double) { return 4294967295.0; }},
    {"min('a', 98)", "int", [](double) { return 97.0; }},
    {"fmax(x, 0)", "float", [](double x) { return std::fmax(x, 0); }},
    {"fmin(1, x)", "float", [](double x) { return std::fmin(x, 1); }},
    {"fmax(x, 0.0)", "double", [](double x) { return std::fmax(x, 0); }},
    {"fmod(x, 2)", "float", [](double x) { return std::fmod(x, 2); }},
    {"fmod(x, 0.75)", "double", [](double x) { return std::fmod(x, 0.75); }},
    {"fmod(7, 4)", "double", [](double) { return 3.0; }},
    {"remainder(x, 2)", "float", [](double x) { return std::remainder(x, 2); }},
    {"fdim(x, 1)", "float", [](double x) { return std::fdim(x, 1); }},
    {"atan2(x, 2)", "float", [](double x) { return std::atan2(x, 2); }},
    {"atan2(x, 0.5)", "double", [](double x) { return std::atan2(x, 0.5); }},
    {"hypot(x, 3)", "float", [](double x) { return std::hypot(x, 3); }},
    {"hypot(3, 4)", "double", [](double) { return 5.0; }},
    {"hypot(x, x, 1)", "float", [](double x) { return std::hypot(x, x, 1); }},
    {"copysign(1, x)", "float", [](double x) { return std::copysign(1, x); }},
    {"copysign(x, -1.0)", "double", [](double x) { return std::copysign(x, -1); }},
    {"fma(x, 2, 1)", "float", [](double x) { return 2 * x + 1; }},
    {"fma(x, 0.5, x)", "double", [](double x) { return 1.5 * x; }},
    {"fma(2, 3, 4)", "double", [](double) { return 10.0; }},
    {"pow(x, 2)", "float", [](double x) { return x * x; }},
    {"pow(x, 0.5)", "double", [](double x) { return std::sqrt(x); }},
    {"pow(x, 0.5f)", "float", [](double x) { return std::sqrt(x); }},
    {"pow(2, x)", "float", [](double x) { return std::exp2(x); }},
    {"pow(2, 3)", "double", [](double) { return 8.0; }},
    {"pow(2.0, x)", "double", [](double x) { return std::exp2(x); }},
    {"pow(x, 3u)", "double", [](double x) { return x * x * x; }},
    {"std::pow(x, 2)", "float", [](double x) { return x * x; }},
    {"std::pow(x, 0.5)", "double", [](double x) { return std::sqrt(x); }},
    {"std::fmax(x, 0)", "float", [](double x) { return std::fmax(x, 0); }},
    // Functions of integers.
    {"sqrt(2)", "double", [](double) { return std::sqrt(2.0); }},
    {"sqrt(2) * x", "double", [](double x) { return std::sqrt(2.0) * x; }},
    {"log(2)", "double", [](double) { return std::log(2.0); }},
    {"log2(8) * x", "double", [](double x) { return 3 * x; }},
    {"sin(1)", "double", [](double) { return std::sin(1.0); }},
    {"exp(1) * x", "double", [](double x) { return std::exp(1.0) * x; }},
    {"exp2(3) * x", "double", [](double x) { return 8 * x; }},
    {"exp10(2) * x", "double", [](double x) { return 100 * x; }},
    {"tanh(1)", "double", [](double) { return std::tanh(1.0); }},
    {"floor(3) + x", "double", [](double x) { return 3 + x; }},
    {"round(3)", "double", [](double) { return 3.0; }},
    {"fabs(-3)", "double", [](double) { return 3.0; }},
    {"abs(-3)", "int", [](double) { return 3.0; }},
    {"abs(x)", "float", [](double x) { return std::fabs(x); }},
    {"lrint(3)", "long", [](double) { return 3.0; }},
    {"cbrt(8) * x", "double", [](double x) { return 2 * x; }},
    {"rsqrt(4) * x", "double", [](double x) { return x / 2; }},
    {"rcbrt(x)", "float", [](double x) { return 1 / std::cbrt(x); }},
    {"rcbrt(8) * x", "double", [](double x) { return x / 2; }},
    {"sinpi(1)", "double", [](double) { return 0.0; }},
    {"normcdf(0) * x", "double", [](double x) { return x / 2; }},
    {"erfinv(0)", "double", [](double) { return 0.0; }},
    {"j0(x)", "float", [](double x) { return ::j0(x); }},
    {"jn(2, x)", "float", [](double x) { return ::jn(2, x); }},
    {"jn(2, 1)", "double", [](double) { return ::jn(2, 1); }},
    {"ldexp(x, 3)", "float", [](double x) { return 8 * x; }},
    {"ldexp(1, 3) * x", "double", [](double x) { return 8 * x; }},
    {"isnan(1) ? 1.f : x", "float", [](double x) { return x; }},
    {"isnan(x)", "int", [](double) { return 0.0; }},
    {"std::isfinite(x)", "int", [](double) { return 1.0; }},
    {"isinf(x / 0)", "int", [](double) { return 1.0; }},
    {"signbit(-x)", "int", [](double) { return 1.0; }},
    {"std::sqrt(2) * x", "double", [](double x) { return std::sqrt(2.0) * x; }},
    // Names of namespace std without an #include.
    {"std::max(x, 0.f)", "float", [](double x) { return std::fmax(x, 0); }},
    {"std::min(std::max(x, 0.f), 1.f)", "float", [](double x) { return std::fmin(std::fmax(x, 0), 1); }},
    {"std::clamp(x, 0.f, 1.f)", "float", [](double x) { return std::fmin(std::fmax(x, 0), 1); }},
    {"std::numeric_limits<float>::max() > x ? x : 0.f", "float", [](double x) { return x; }},
    {"std::is_same_v<float, float> ? x : 0.f", "float", [](double x) { return x; }},
    {"std::make_pair(x, 1).first", "float", [](double x) { return x; }},
});

// Formulas that C++ finds ambiguous, or whose names nothing defines, on the host as on GPUs.
inline constexpr std::array kRefusedFormulas = std::to_array<std::string_view>({
    "std::max(x, 0)",
    "abs(2u) * x",
    "sqr(x)",
    "max(x)",
    "std::nothing(x)",
    "max(x, x, x)",
    "std::clamp(x, 0, 1)",
    "std::min(1, x)",
    "powi(x, 2)",
    "clamp(x, 0.f, 1.f)",
    "saturate(x)",
    "sign(x)",
    "lerp(x, x, x)",
    "gamma(x)",
    "ln(x)",
    "sqrt()",
    "pow(x)",
    "atan2(x)",
    "x % 2",
    "x << 1",
    "~x",
    "x and",
    "x ** 2",
    "mad(x, x, x)",
    "pi * x",
    "y + x",
    "FLT_MAX * x",
    "std::exp10(x)",
    "float4(x, x, x, x)",
    "__half(x) * 2",
    "max(__half(x), __half(0))",
    "x.y",
    "make_float2(x, x) + make_float2(x, x)",
});

inline std::string lambda(std::string_view formula) {
  return "[](float x) { return " + std::string(formula) + "; }";
}

}  // namespace graft::test
