// Formulas of complex numbers, beside std::complex<long double>. The error is that of the whole number, in units of its
// absolute value.
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <functional>

#include "formula/values/columns.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

using Wide = std::complex<long double>;

struct Row {
  const char* text;
  std::function<Wide(Wide, Wide)> expected;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = {
      {"z + w", [](Wide z, Wide w) { return z + w; }},
      {"z - w", [](Wide z, Wide w) { return z - w; }},
      {"z * w", [](Wide z, Wide w) { return z * w; }},
      {"z / w", [](Wide z, Wide w) { return z / w; }},
      {"-z", [](Wide z, Wide) { return -z; }},
      {"2 * z", [](Wide z, Wide) { return 2.0L * z; }},
      {"z * x / 2", [](Wide z, Wide w) { return z * w.real() / 2.0L; }},
      {"x / z", [](Wide z, Wide w) { return w.real() / z; }},
      {"1 - z", [](Wide z, Wide) { return 1.0L - z; }},
      {"z ^ 2", [](Wide z, Wide) { return z * z; }},
      {"z ^ 3", [](Wide z, Wide) { return z * z * z; }},
      {"z ^ 4", [](Wide z, Wide) { return z * z * z * z; }},
      {"z ^ w", [](Wide z, Wide w) { return std::pow(z, w); }},
      {"z ^ -1", [](Wide z, Wide) { return 1.0L / z; }},
      {"conj(z)", [](Wide z, Wide) { return std::conj(z); }},
      {"exp(z)", [](Wide z, Wide) { return std::exp(z); }},
      {"log(z)", [](Wide z, Wide) { return std::log(z); }},
      {"sqrt(z)", [](Wide z, Wide) { return std::sqrt(z); }},
      {"sin(z)", [](Wide z, Wide) { return std::sin(z); }},
      {"cos(z)", [](Wide z, Wide) { return std::cos(z); }},
      {"sinh(z)", [](Wide z, Wide) { return std::sinh(z); }},
      {"cosh(z)", [](Wide z, Wide) { return std::cosh(z); }},
      {"complex(real(z), imag(w))", [](Wide z, Wide w) { return Wide(z.real(), w.imag()); }},
      {"polar(abs(z), arg(z))", [](Wide z, Wide) { return z; }},
      {"complex(norm(z), x)", [](Wide z, Wide w) { return Wide(std::norm(z), w.real()); }},
      {"z == w ? z : 2 * z", [](Wide z, Wide w) { return z == w ? z : 2.0L * z; }},
      {"select(z != w, z, 1)", [](Wide z, Wide w) { return z != w ? z : 1.0L; }},
  };
  return all;
}

template <class T>
void check(const char* complex_type, const char* real_type) {
  const std::vector<std::complex<T>> values = {{1, 0},    {0, 1},   {-1, 0},         {-1, 0.5f}, {3, -4},
                                               {0.5f, 2}, {-2, -3}, {0.001f, -0.5f}, {1.5f, 4},  {0.25f, 0.125f}};
  std::vector<std::complex<T>> zs;
  std::vector<std::complex<T>> ws;
  std::vector<T> xs;
  for (const std::complex<T> z : values)
    for (const std::complex<T> w : values) {
      zs.push_back(z);
      ws.push_back(w);
      xs.push_back(w.real());
    }
  const std::vector<ByteArray> results = run_rows(rows(), std::string(complex_type) + " z, w, " + real_type + " x",
                                                  {bytes_of(zs), bytes_of(ws), bytes_of(xs)}, zs.size());
  ASSERT_EQ(results.size(), rows().size());
  for (std::size_t k = 0; k < rows().size(); ++k) {
    const auto got = values_of<std::complex<T>>(results[k]);
    ASSERT_EQ(got.size(), zs.size()) << rows()[k].text;
    for (std::size_t i = 0; i < zs.size(); ++i) {
      const Wide expected = rows()[k].expected(Wide(zs[i]), Wide(ws[i]));
      const long double off = std::abs(Wide(got[i]) - expected);
      const long double allowed = 20 * std::numeric_limits<T>::epsilon() * std::abs(expected);
      EXPECT_TRUE(off <= allowed) << complex_type << ": " << rows()[k].text << " of z = " << zs[i] << ", w = " << ws[i]
                                  << " is " << got[i] << ", and should be " << expected;
    }
  }
}

TEST(FormulaValues, OfC64) {
  check<float>("c64", "f32");
}
TEST(FormulaValues, OfC128) {
  check<double>("c128", "f64");
}

// What a message suggests for a function that formulas have of real numbers alone.
std::string suggestion_for(const std::string& text) {
  return error_of([&] { formula(text, "c128 z"); }).diagnostics().at(0).suggestion;
}

TEST(FormulaValues, OfFormulasThatMessagesSuggest) {
  struct Suggested {
    std::string text;
    Wide (*expected)(Wide);
  };
  std::vector<Suggested> rows = {
      {"acos(z)", [](Wide z) { return std::acos(z); }},
      {"acosh(z)", [](Wide z) { return std::acosh(z); }},
      {"asin(z)", [](Wide z) { return std::asin(z); }},
      {"asinh(z)", [](Wide z) { return std::asinh(z); }},
      {"atan(z)", [](Wide z) { return std::atan(z); }},
      {"atanh(z)", [](Wide z) { return std::atanh(z); }},
      {"exp2(z)", [](Wide z) { return std::exp(z * std::log(2.0L)); }},
      {"expm1(z)", [](Wide z) { return std::exp(z) - 1.0L; }},
      {"log10(z)", [](Wide z) { return std::log10(z); }},
      {"log1p(z)", [](Wide z) { return std::log(1.0L + z); }},
      {"log2(z)", [](Wide z) { return std::log(z) / std::log(2.0L); }},
      {"rint(z)", [](Wide z) { return Wide(std::rint(z.real()), std::rint(z.imag())); }},
      {"round(z)", [](Wide z) { return Wide(std::rint(z.real()), std::rint(z.imag())); }},
      {"rsqrt(z)", [](Wide z) { return 1.0L / std::sqrt(z); }},
      {"sigmoid(z)", [](Wide z) { return 1.0L / (1.0L + std::exp(-z)); }},
      {"sign(z)", [](Wide z) { return z / std::abs(z); }},
      {"tan(z)", [](Wide z) { return std::tan(z); }},
      {"tanh(z)", [](Wide z) { return std::tanh(z); }},
      {"lerp(z, 2 * z, 0.25)", [](Wide z) { return 1.25L * z; }},
  };
  for (Suggested& row : rows) row.text = suggestion_for(row.text);
  const std::vector<std::complex<double>> zs = {{0.5, 2}, {-2, -3}, {3, -4}, {-1, 0.5}, {0.25, 0.125}, {1.5, 4}};
  const std::vector<ByteArray> results = run_rows(rows, "c128 z", {bytes_of(zs)}, zs.size());
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto got = values_of<std::complex<double>>(results[k]);
    ASSERT_EQ(got.size(), zs.size()) << rows[k].text;
    for (std::size_t i = 0; i < zs.size(); ++i) {
      const Wide expected = rows[k].expected(Wide(zs[i]));
      EXPECT_TRUE(std::abs(Wide(got[i]) - expected) <= 1e-13L * std::abs(expected))
          << rows[k].text << " of z = " << zs[i] << " is " << got[i] << ", and should be " << expected;
    }
  }
}

TEST(FormulaValues, OfQuestionsThatMessagesSuggest) {
  struct Suggested {
    std::string text;
    std::vector<std::uint8_t> expected;  // as NumPy's
  };
  std::vector<Suggested> rows = {
      {"isnan(z)", {0, 1, 1, 0, 0, 1}}, {"isinf(z)", {0, 0, 0, 1, 1, 1}}, {"isfinite(z)", {1, 0, 0, 0, 0, 0}}};
  for (Suggested& row : rows) row.text = suggestion_for(row.text);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::complex<double>> zs = {{1, 2}, {kNan, 1}, {1, kNan}, {kInf, 1}, {1, -kInf}, {-kInf, kNan}};
  const std::vector<ByteArray> results = run_rows(rows, "c128 z", {bytes_of(zs)}, zs.size());
  for (std::size_t k = 0; k < rows.size(); ++k)
    EXPECT_EQ(values_of<std::uint8_t>(results[k]), rows[k].expected) << rows[k].text;
}

// The quotient's parts are finite although the squares of the divisor's parts are not.
TEST(FormulaValues, ComplexQuotientsDoNotOverflow) {
  const HostBytes divide(formula("z / w", "c64 z, w"));
  const std::vector<std::complex<float>> z = {{1e30f, 1e30f}};
  const std::vector<std::complex<float>> w = {{1e30f, -1e30f}};
  const auto got = values_of<std::complex<float>>(divide.run({bytes_of(z), bytes_of(w)}, {}, 1)[0]);
  EXPECT_NEAR(got[0].real(), 0, 1e-6);
  EXPECT_NEAR(got[0].imag(), 1, 1e-6);
}

}  // namespace
}  // namespace graft::test
