// What messages suggest for functions of CUDA's math API computes what these functions compute.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "formula/values/columns.hpp"
#include "graft/formula.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNoNumber = std::numeric_limits<float>::quiet_NaN();
constexpr const char* kTwoFloats = "f32 x, y";

std::string suggested_for_cuda(const std::string& text) {
  return error_of([&] { formula(text, kTwoFloats); }).diagnostics().at(0).suggestion;
}

template <class T>
struct OfCuda {
  std::string text;
  T (*expected)(float, float);
};

template <class T>
std::vector<std::vector<T>> results_of(const std::vector<OfCuda<T>>& rows, const std::vector<float>& xs,
                                       const std::vector<float>& ys) {
  std::vector<OfCuda<T>> suggested = rows;
  for (OfCuda<T>& row : suggested) row.text = suggested_for_cuda(row.text);
  std::vector<std::vector<T>> results;
  for (const ByteArray& result : run_rows(suggested, kTwoFloats, {bytes_of(xs), bytes_of(ys)}, xs.size()))
    results.push_back(values_of<T>(result));
  return results;
}

TEST(FormulaValues, OfFunctionsOfCudaThatMessagesSuggest) {
  const std::vector<OfCuda<float>> rows = {
      {"roundf(x)", [](float x, float) { return std::round(x); }},
      {"nearbyintf(x)", [](float x, float) { return std::nearbyint(x); }},
      {"fmaxf(x, y)", [](float x, float y) { return std::fmax(x, y); }},
      {"fminf(x, y)", [](float x, float y) { return std::fmin(x, y); }},
      {"fdimf(x, y)", [](float x, float y) { return std::fdim(x, y); }},
      {"exp10f(x)", [](float x, float) { return static_cast<float>(std::pow(10.0, x)); }},
      {"rcbrtf(x)", [](float x, float) { return 1 / std::cbrt(x); }},
      {"rhypotf(x, y)", [](float x, float y) { return 1 / std::hypot(x, y); }},
      {"norm3df(x, y, x)", [](float x, float y) { return std::hypot(x, y, x); }},
      {"rnorm3df(x, y, x)", [](float x, float y) { return 1 / std::hypot(x, y, x); }},
      {"normcdff(x)", [](float x, float) { return static_cast<float>(0.5 * std::erfc(-x / std::sqrt(2.0))); }},
      {"__frcp_rn(x)", [](float x, float) { return 1 / x; }},
      {"__fdividef(x, y)", [](float x, float y) { return x / y; }},
      {"__fmul_rn(x, y)", [](float x, float y) { return x * y; }},
      {"__fsub_rn(x, y)", [](float x, float y) { return x - y; }},
  };
  const std::vector<float> xs = {0.5f, 1.5f, -2.5f, 0.49999997f, -0.3f, 8388609, -7.25f, 2.4999998f, 3};
  const std::vector<float> ys = {2, -1, 4, 0.25f, -0.75f, 3, -7.5f, 1e-3f, 5};
  const std::vector<std::vector<float>> results = results_of(rows, xs, ys);
  ASSERT_EQ(results.size(), rows.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    ASSERT_EQ(results[k].size(), xs.size()) << rows[k].text;
    for (std::size_t i = 0; i < xs.size(); ++i) {
      const float expected = rows[k].expected(xs[i], ys[i]);
      if (!std::isfinite(expected)) {
        EXPECT_EQ(results[k][i], expected) << rows[k].text << " of " << xs[i];
        continue;
      }
      EXPECT_TRUE(std::abs(results[k][i] - expected) <= 1e-5f * std::abs(expected))
          << rows[k].text << " of " << xs[i] << " and " << ys[i] << " is " << results[k][i] << ", not " << expected;
    }
  }
}

TEST(FormulaValues, OfExtremesThatMessagesSuggestDropANan) {
  const std::vector<OfCuda<float>> rows = {{"fmaxf(x, y)", {}}, {"fminf(x, y)", {}}};
  const std::vector<std::vector<float>> results =
      results_of(rows, {kNoNumber, 1, kInfinity, -kInfinity}, {2, kNoNumber, kNoNumber, 0});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0], (std::vector<float>{2, 1, kInfinity, 0}));
  EXPECT_EQ(results[1], (std::vector<float>{2, 1, kInfinity, -kInfinity}));
}

TEST(FormulaValues, OfRoundingsToIntegersThatMessagesSuggest) {
  const std::vector<float> xs = {0.5f, 1.5f, -2.5f, 0.49999997f, -0.3f, 8388609, -7.25f, 2.4999998f, -0.75f};
  const std::vector<OfCuda<std::int64_t>> longs = {
      {"lroundf(x)", [](float x, float) { return std::int64_t{std::llround(x)}; }},
      {"llrintf(x)", [](float x, float) { return std::int64_t{std::llrint(x)}; }},
      {"__float2ll_rd(x)", [](float x, float) { return static_cast<std::int64_t>(std::floor(x)); }},
  };
  const std::vector<OfCuda<std::int32_t>> ints = {
      {"__float2int_rn(x)", [](float x, float) { return static_cast<std::int32_t>(std::rint(x)); }},
      {"__float2int_rz(x)", [](float x, float) { return static_cast<std::int32_t>(x); }},
      {"__float2int_rd(x)", [](float x, float) { return static_cast<std::int32_t>(std::floor(x)); }},
      {"__float2int_ru(x)", [](float x, float) { return static_cast<std::int32_t>(std::ceil(x)); }},
      {"static_cast<int>(x)", [](float x, float) { return static_cast<std::int32_t>(x); }},
  };
  const auto check = [&](const auto& rows) {
    const auto results = results_of(rows, xs, xs);
    ASSERT_EQ(results.size(), rows.size());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      ASSERT_EQ(results[k].size(), xs.size()) << rows[k].text;
      for (std::size_t i = 0; i < xs.size(); ++i)
        EXPECT_EQ(results[k][i], rows[k].expected(xs[i], xs[i])) << rows[k].text << " of " << xs[i];
    }
  };
  check(longs);
  check(ints);
}

}  // namespace
}  // namespace graft::test
