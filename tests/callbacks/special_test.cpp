// Compares the ready-made special functions with long double references and with values from Abramowitz and Stegun's
// tables.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

template <class T>
class Special : public testing::Test {
 public:
  static Array<T> apply(const char* entry, const Array<T>& x) {
    Array<T> out(x.size());
    on_host_of<T>("special", entry).execute(host, x, out);
    return out;
  }
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Special, Types);

TYPED_TEST(Special, BesselFunctionsOfBothKindsAreTheLibrarys) {
  using T = TypeParam;
  const Array<T> x = uniform<T>(20000, 0, 50);
  const auto check = [&](const char* entry, auto reference) {
    const Array<T> got = TestFixture::apply(entry, x);
    for (Eigen::Index i = 0; i < x.size(); ++i)
      ASSERT_NEAR(got[i], static_cast<double>(reference(x[i])), 16 * static_cast<double>(kUnit<T>))
          << entry << ' ' << x[i];
  };
  check("bessel_j0", [](T v) { return std::cyl_bessel_j(0.0L, static_cast<long double>(v)); });
  check("bessel_j1", [](T v) { return std::cyl_bessel_j(1.0L, static_cast<long double>(v)); });
  const Array<T> edges = joined<T>({}, {T(0), T(-1)});
  const Array<T> y0 = TestFixture::apply("bessel_y0", edges);
  const Array<T> y1 = TestFixture::apply("bessel_y1", edges);
  EXPECT_EQ(y0[0], -kInf<T>);
  EXPECT_EQ(y1[0], -kInf<T>);
  EXPECT_FALSE(std::isfinite(y0[1]));
  EXPECT_FALSE(std::isfinite(y1[1]));
  const Array<T> two = Array<T>::Constant(1, T(2));
  EXPECT_NEAR(TestFixture::apply("bessel_y0", two)[0], 0.51037567264974512, 1e-6);
  EXPECT_NEAR(TestFixture::apply("bessel_y1", two)[0], -0.10703243154093755, 1e-6);
}

TYPED_TEST(Special, ModifiedBesselFunctionsAreWithinTheirBound) {
  using T = TypeParam;
  const Wider<T> bound = std::is_same_v<T, float> ? 1 : 24;
  const double far = std::is_same_v<T, float> ? 88 : 700;
  const Array<T> x = joined<T>(uniform<T>(5000, -far, far), {T(0), T(1e-30), T(1e-3), T(-2.5)});
  Array<Wider<T>> i0(x.size()), i1(x.size());
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const auto v = std::fabs(static_cast<long double>(x[i]));
    i0[i] = static_cast<Wider<T>>(std::cyl_bessel_i(0.0L, v));
    i1[i] = static_cast<Wider<T>>((x[i] < 0 ? -1 : 1) * std::cyl_bessel_i(1.0L, v));
  }
  expect_within<T>(TestFixture::apply("bessel_i0", x), i0, ulps<T>(bound, i0));
  expect_within<T>(TestFixture::apply("bessel_i1", x), i1, ulps<T>(bound, i1));
  const Array<T> edges = joined<T>({}, {kInf<T>, -kInf<T>, kNan<T>, T(800)});
  const Array<T> got0 = TestFixture::apply("bessel_i0", edges);
  const Array<T> got1 = TestFixture::apply("bessel_i1", edges);
  EXPECT_EQ(got0[0], kInf<T>);
  EXPECT_EQ(got0[1], kInf<T>);
  EXPECT_TRUE(std::isnan(got0[2]));
  EXPECT_EQ(got0[3], kInf<T>);
  EXPECT_EQ(got1[0], kInf<T>);
  EXPECT_EQ(got1[1], -kInf<T>);
  EXPECT_TRUE(std::isnan(got1[2]));
}

// Computes the digamma function psi in long double: by the recurrence up to x = 40, and then by the asymptotic series.
// The reflection formula reduces negative arguments to positive ones.
long double reference_digamma(long double x) {
  constexpr long double pi = 3.14159265358979323846264338327950288L;
  if (x < 0) return reference_digamma(1 - x) - pi / std::tan(pi * (x - std::rint(x)));
  long double below = 0;
  for (; x < 40; x += 1) below += 1 / x;
  const long double y = 1 / (x * x);
  return std::log(x) - 0.5L / x - y * (1 / 12.0L - y * (1 / 120.0L - y * (1 / 252.0L - y * (1 / 240.0L - y / 132)))) -
         below;
}

TYPED_TEST(Special, DigammaIsWithinItsBound) {
  using T = TypeParam;
  const Array<T> x = joined<T>(joined<T>(log_uniform<T>(20000, 1e-6, 1e6), {T(1), T(0.5), T(1.4616321)}),
                               {T(-0.5), T(-1.25), T(-7.75), T(-20.5), T(-1e-20), T(-1e-10), T(-1.0001), T(-2.9999)});
  const Array<T> got = TestFixture::apply("digamma", x);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const long double want = reference_digamma(x[i]);
    ASSERT_NEAR(static_cast<double>(got[i]), static_cast<double>(want),
                static_cast<double>(16 * kUnit<T> * std::max(1.0L, std::fabs(want))))
        << x[i];
  }
  EXPECT_NEAR(TestFixture::apply("digamma", Array<T>::Constant(1, T(1)))[0], -0.57721566490153286, 1e-6);
  const Array<T> poles = TestFixture::apply("digamma", joined<T>({}, {T(0), T(-1), T(-30), -kInf<T>, kNan<T>}));
  EXPECT_TRUE(poles.isNaN().all());
  EXPECT_EQ(TestFixture::apply("digamma", Array<T>::Constant(1, kInf<T>))[0], kInf<T>);
}

}  // namespace
}  // namespace graft::test
