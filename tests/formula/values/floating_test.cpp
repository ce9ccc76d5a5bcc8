// Formulas of f32, f64, f16 and bf16, beside the same expressions in `long double`.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "formula/values/columns.hpp"

namespace graft::test {
namespace {

using Wide = long double;

struct Row {
  const char* text;
  double ulps;  // of the formula's type; of f16 and bf16, one unit is allowed in any case
  std::function<Wide(Wide, Wide)> expected;
};

Wide floor_remainder(Wide x, Wide y) {
  const Wide r = std::fmod(x, y);
  return r == 0 ? std::copysign(r, y) : (r < 0) != (y < 0) ? r + y : r;
}
Wide floor_divide(Wide x, Wide y) {
  if (y == 0) return x / y;
  if (std::isinf(x) || std::isnan(x)) return std::numeric_limits<Wide>::quiet_NaN();
  if (std::isinf(y)) return x == 0 || (x < 0) == (y < 0) ? std::copysign(0.0L, x / y) : -1;
  return std::floor(x / y);
}
Wide truth(bool b) {
  return b ? 1 : 0;
}
Wide smaller(Wide x, Wide y) {
  return std::isnan(x) || std::isnan(y) ? x + y : std::fmin(x, y);
}
Wide larger(Wide x, Wide y) {
  return std::isnan(x) || std::isnan(y) ? x + y : std::fmax(x, y);
}

#define GRAFT_ROW(text, ulps, ...)                                                                   \
  {                                                                                                  \
    text, ulps, []([[maybe_unused]] Wide x, [[maybe_unused]] Wide y) -> Wide { return __VA_ARGS__; } \
  }
#define GRAFT_BOOLEAN(text, ...) GRAFT_ROW("(" text ") ? 1 : 0", 0, truth(__VA_ARGS__))

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      GRAFT_ROW("x + y", 0, x + y),
      GRAFT_ROW("x - y", 0, x - y),
      GRAFT_ROW("x * y", 0, x * y),
      GRAFT_ROW("x / y", 0, x / y),
      GRAFT_ROW("x // y", 1, floor_divide(x, y)),
      GRAFT_ROW("x // y == 0 ? copysign(1, x // y) : 0", 0,
                floor_divide(x, y) == 0 ? std::copysign(1.0L, floor_divide(x, y)) : 0),
      GRAFT_ROW("x % y", 1, floor_remainder(x, y)),
      GRAFT_ROW("-x", 0, -x),
      GRAFT_ROW("+x", 0, x),
      GRAFT_ROW("x ^ 0", 0, 1),
      GRAFT_ROW("x ^ 1", 0, x),
      GRAFT_ROW("x ^ 2", 0, x * x),
      GRAFT_ROW("x ** 3", 1, x * x * x),
      GRAFT_ROW("x ^ 4", 2, x * x * x * x),
      GRAFT_ROW("x ^ -1", 0, 1 / x),
      GRAFT_ROW("x ^ -2", 2, 1 / (x * x)),
      GRAFT_ROW("x ^ 0.5", 1, std::pow(x, 0.5L)),
      GRAFT_ROW("x ^ y", 2, std::pow(x, y)),
      GRAFT_ROW("pow(x, y)", 2, std::pow(x, y)),
      GRAFT_ROW("2 ^ x", 2, std::pow(2.0L, x)),
      GRAFT_ROW("-x ^ 2", 0, -(x * x)),
      GRAFT_ROW("1/3 * x", 1, x / 3),
      GRAFT_ROW("2 * x + 1", 1, 2 * x + 1),
      GRAFT_BOOLEAN("x < y", x < y),
      GRAFT_BOOLEAN("x <= y", x <= y),
      GRAFT_BOOLEAN("x > y", x > y),
      GRAFT_BOOLEAN("x >= y", x >= y),
      GRAFT_BOOLEAN("x == y", x == y),
      GRAFT_BOOLEAN("x != y", x != y),
      GRAFT_BOOLEAN("(x > 0 && y > 0)", x > 0 && y > 0),
      GRAFT_BOOLEAN("(x > 0 || y > 0)", x > 0 || y > 0),
      GRAFT_BOOLEAN("!(x > 0)", !(x > 0)),
      GRAFT_BOOLEAN("!x", x == 0),
      GRAFT_BOOLEAN("isnan(x)", std::isnan(x)),
      GRAFT_BOOLEAN("isinf(x)", std::isinf(x)),
      GRAFT_BOOLEAN("isfinite(x)", std::isfinite(x)),
      GRAFT_ROW("(x > y) + (y > 0) + x", 1, (x > y) + (y > 0) + x),
      GRAFT_ROW("x > 0 ? x : 0.5 * x", 0, x > 0 ? x : 0.5L * x),
      GRAFT_ROW("select(x > y, x, y)", 0, x > y ? x : y),
      GRAFT_ROW("select(x, 1, y)", 0, x != 0 ? 1 : y),
      GRAFT_ROW("min(x, y)", 0, smaller(x, y)),
      GRAFT_ROW("max(x, y)", 0, larger(x, y)),
      GRAFT_ROW("max(x, 0)", 0, larger(x, 0)),
      GRAFT_ROW("min(x, y, 1, -x)", 0, smaller(smaller(smaller(x, y), 1), -x)),
      GRAFT_ROW("clamp(x, -1, 1)", 0, smaller(larger(x, -1), 1)),
      GRAFT_ROW("relu(x)", 0,
                std::isnan(x) ? x
                : x > 0       ? x
                              : 0),
      GRAFT_ROW("sign(x)", 0,
                x > 0   ? 1
                : x < 0 ? -1
                        : x),
      GRAFT_ROW("step(y, x)", 0, x >= y ? 1 : 0),
      GRAFT_ROW("lerp(x, y, 0.25)", 8, x + 0.25L * (y - x)),
      GRAFT_ROW("sigmoid(x)", 3, 1 / (1 + std::exp(-x))),
      GRAFT_ROW("abs(x)", 0, std::abs(x)),
      GRAFT_ROW("floor(x)", 0, std::floor(x)),
      GRAFT_ROW("ceil(x)", 0, std::ceil(x)),
      GRAFT_ROW("trunc(x)", 0, std::trunc(x)),
      GRAFT_ROW("round(x)", 0, std::nearbyint(x)),
      GRAFT_ROW("fract(x)", 0, x - std::floor(x)),
      GRAFT_ROW("sqrt(x)", 0, std::sqrt(x)),
      GRAFT_ROW("rsqrt(x)", 2, 1 / std::sqrt(x)),
      GRAFT_ROW("cbrt(x)", 2, std::cbrt(x)),
      GRAFT_ROW("exp(x)", 2, std::exp(x)),
      GRAFT_ROW("exp2(x)", 2, std::exp2(x)),
      GRAFT_ROW("expm1(x)", 2, std::expm1(x)),
      GRAFT_ROW("log(x)", 2, std::log(x)),
      GRAFT_ROW("log2(x)", 2, std::log2(x)),
      GRAFT_ROW("log10(x)", 2, std::log10(x)),
      GRAFT_ROW("log1p(x)", 2, std::log1p(x)),
      GRAFT_ROW("sin(x)", 2, std::sin(x)),
      GRAFT_ROW("cos(x)", 2, std::cos(x)),
      GRAFT_ROW("tan(x)", 2, std::tan(x)),
      GRAFT_ROW("asin(x)", 2, std::asin(x)),
      GRAFT_ROW("acos(x)", 2, std::acos(x)),
      GRAFT_ROW("atan(x)", 2, std::atan(x)),
      GRAFT_ROW("atan2(x, y)", 2, std::atan2(x, y)),
      GRAFT_ROW("sinh(x)", 2, std::sinh(x)),
      GRAFT_ROW("cosh(x)", 2, std::cosh(x)),
      GRAFT_ROW("tanh(x)", 2, std::tanh(x)),
      GRAFT_ROW("asinh(x)", 2, std::asinh(x)),
      GRAFT_ROW("acosh(x)", 2, std::acosh(x)),
      GRAFT_ROW("atanh(x)", 2, std::atanh(x)),
      GRAFT_ROW("erf(x)", 2, std::erf(x)),
      GRAFT_ROW("erfc(x)", 4, std::erfc(x)),
      GRAFT_ROW("gamma(abs(x))", 8, std::tgamma(std::abs(x))),
      GRAFT_ROW("lgamma(abs(x) + 3)", 8, std::lgamma(std::abs(x) + 3)),
      GRAFT_ROW("hypot(x, y)", 1, std::hypot(x, y)),
      GRAFT_ROW("fmod(x, y)", 0, std::fmod(x, y)),
      GRAFT_ROW("copysign(x, y)", 0, std::copysign(x, y)),
      GRAFT_ROW("fma(x, y, 1)", 0, std::fma(x, y, 1.0L)),
      GRAFT_ROW("norm(x)", 0, x * x),
      GRAFT_ROW("real(x) + imag(x)", 0, x),
      GRAFT_ROW("arg(x)", 1, std::atan2(0.0L, x)),
      GRAFT_ROW("x + inf", 0, x + std::numeric_limits<Wide>::infinity()),
      GRAFT_ROW("x * nan", 0, std::numeric_limits<Wide>::quiet_NaN()),
      GRAFT_ROW("x > pi ? e : pi", 0, x > static_cast<Wide>(M_PI) ? std::exp(1.0L) : std::acos(-1.0L)),
  };
  return all;
}

// All pairs of these numbers, as values of the formula's type.
template <class T>
std::pair<std::vector<T>, std::vector<T>> pairs() {
  constexpr double kValues[] = {0,   -0.0, 1,   -1,    0.5, -0.5,   2,        -2,        3.75,         -2.25,
                                7.5, 10,   -20, 0.001, 100, 1234.5, HUGE_VAL, -HUGE_VAL, -0.0009765625};
  std::vector<T> xs;
  std::vector<T> ys;
  std::vector<double> values(std::begin(kValues), std::end(kValues));
  values.push_back(std::numeric_limits<double>::quiet_NaN());
  for (const double x : values)
    for (const double y : values) {
      xs.push_back(static_cast<T>(static_cast<float>(x)));
      ys.push_back(static_cast<T>(static_cast<float>(y)));
    }
  return {xs, ys};
}

// Rounded to T, as f32.
template <class T>
float rounded(Wide value) {
  return static_cast<float>(static_cast<T>(static_cast<float>(value)));
}

// How far a result is from what it should be, in units of T.
template <class T>
double difference(T result, Wide expected) {
  if constexpr (std::is_floating_point_v<T>) return distance(result, static_cast<T>(expected));
  else {
    const auto got = static_cast<float>(result);
    const float wanted = rounded<T>(expected);
    constexpr int kBits = std::is_same_v<T, __half> ? 13 : 16;  // of f32, which T does not have
    if (std::isfinite(got) && std::isfinite(wanted) && std::abs(wanted) < 0x1p-14f)
      return std::abs(got - wanted) <= 0x1p-24f ? 1 : HUGE_VAL;  // subnormal numbers of f16
    return distance(got, wanted) / (1 << kBits);
  }
}

template <class T>
void check(const char* type) {
  const auto [xs, ys] = pairs<T>();
  const std::vector<ByteArray> results =
      run_rows(rows(), std::string(type) + " x, y", {bytes_of(xs), bytes_of(ys)}, xs.size());
  ASSERT_EQ(results.size(), rows().size());
  constexpr bool is_narrow = sizeof(T) == 2;
  for (std::size_t k = 0; k < rows().size(); ++k) {
    const Row& row = rows()[k];
    const std::vector<T> values = values_of<T>(results[k]);
    ASSERT_EQ(values.size(), xs.size()) << row.text;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const auto x =
          static_cast<Wide>(static_cast<double>(static_cast<std::conditional_t<is_narrow, float, T>>(xs[i])));
      const auto y =
          static_cast<Wide>(static_cast<double>(static_cast<std::conditional_t<is_narrow, float, T>>(ys[i])));
      const Wide expected = row.expected(x, y);
      const double off = difference(values[i], expected);
      // Not EXPECT_LE: of a nan, no comparison is true.
      if (!(off <= (is_narrow ? 1 : row.ulps)))
        ADD_FAILURE() << type << ": " << row.text << " of x = " << static_cast<double>(x)
                      << ", y = " << static_cast<double>(y) << " is "
                      << static_cast<double>(static_cast<std::conditional_t<is_narrow, float, T>>(values[i]))
                      << ", and should be " << static_cast<double>(expected) << " (" << off << " ulps)";
    }
  }
}

TEST(FormulaValues, OfF32) {
  check<float>("f32");
}
TEST(FormulaValues, OfF64) {
  check<double>("f64");
}
TEST(FormulaValues, OfF16) {
  check<__half>("f16");
}
TEST(FormulaValues, OfBf16) {
  check<__nv_bfloat16>("bf16");
}

}  // namespace
}  // namespace graft::test
