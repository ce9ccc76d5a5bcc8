// Compares the ready-made callbacks for complex numbers with references of higher precision.
#include <gtest/gtest.h>

#include <complex>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

constexpr Eigen::Index kCount = 5000;

template <class T>
class Complex : public testing::Test {
 public:
  using Complexes = Array<std::complex<T>>;
  using Exact = Array<std::complex<Wider<T>>>;

  static Complexes random(unsigned seed) {
    Complexes z(kCount);
    z.real() = uniform<T>(kCount, -3, 3, seed);
    z.imag() = uniform<T>(kCount, -3, 3, seed + 1);
    return z;
  }
  static Exact widened(const Complexes& z) { return z.template cast<std::complex<Wider<T>>>(); }

  static void expect_components(const Complexes& got, const Exact& want, Wider<T> count) {
    expect_within<T>(got.real(), want.real(), ulps<T>(count, want.real()));
    expect_within<T>(got.imag(), want.imag(), ulps<T>(count, want.imag()));
  }

  const Complexes left = random(1);
  const Complexes right = random(3);
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Complex, Reals);

TYPED_TEST(Complex, Products) {
  using T = TypeParam;
  const Wider<T> bound = std::sqrt(Wider<T>(5)) * kUnit<T>;
  Array<std::complex<T>> out(kCount);
  const auto x = this->widened(this->left), y = this->widened(this->right);
  on_host_of<T>("complex", "complex_multiply").execute(host, host_inputs(this->left, this->right), out);
  EXPECT_TRUE(((this->widened(out) - x * y).abs() <= bound * (x * y).abs()).all());
  on_host_of<T>("complex", "multiply_conjugate").execute(host, host_inputs(this->left, this->right), out);
  EXPECT_TRUE(((this->widened(out) - x * y.conjugate()).abs() <= bound * (x * y).abs()).all());
}

TYPED_TEST(Complex, ScalingRoundsEachComponentOnce) {
  using T = TypeParam;
  using W = Wider<T>;
  Array<std::complex<T>> out(kCount);
  on_host_of<T>("complex", "complex_scale").execute(host, this->left, out, own::ComplexScale<T>{T(0.3)});
  this->expect_components(out, this->widened(this->left) * std::complex<W>(T(0.3)), W(0.5));
  const Array<T> weights = uniform<T>(kCount, -1, 1, 9);
  on_host_of<T>("complex", "complex_weight").execute(host, host_inputs(this->left, weights), out);
  this->expect_components(out, this->widened(this->left) * weights.template cast<std::complex<W>>(), W(0.5));
}

TYPED_TEST(Complex, ConjugateIsExact) {
  using T = TypeParam;
  Array<std::complex<T>> out(kCount);
  on_host_of<T>("complex", "conjugate").execute(host, this->left, out);
  EXPECT_TRUE((out == this->left.conjugate()).all());
}

TYPED_TEST(Complex, PolarCoordinates) {
  using T = TypeParam;
  using W = Wider<T>;
  const auto x = this->widened(this->left);
  Array<T> out(kCount);
  on_host_of<T>("complex", "magnitude").execute(host, this->left, out);
  expect_within<T>(out, x.abs(), ulps<T>(3, x.abs()));
  on_host_of<T>("complex", "squared_magnitude").execute(host, this->left, out);
  expect_within<T>(out, x.abs2(), 2 * kUnit<T> * x.abs2());
  on_host_of<T>("complex", "phase").execute(host, this->left, out);
  expect_within<T>(out, x.arg(), ulps<T>(4, x.arg()));

  const Array<T> r = uniform<T>(kCount, 0, 5, 7), angle = uniform<T>(kCount, -20, 20, 8);
  Array<std::complex<T>> z(kCount);
  on_host_of<T>("complex", "from_polar").execute(host, host_inputs(r, angle), z);
  Array<std::complex<W>> want(kCount);
  want.real() = r.template cast<W>() * angle.template cast<W>().cos();
  want.imag() = r.template cast<W>() * angle.template cast<W>().sin();
  this->expect_components(z, want, 5);
}

TYPED_TEST(Complex, MagnitudeAtTheEdges) {
  using T = TypeParam;
  const T huge = std::numeric_limits<T>::max() / 4, tiny = std::numeric_limits<T>::min();
  Array<std::complex<T>> z(5);
  z << std::complex<T>(3 * huge / 4, huge), std::complex<T>(3 * tiny, 4 * tiny), std::complex<T>(-kInf<T>, kNan<T>),
      std::complex<T>(0, 0), std::complex<T>(kNan<T>, 1);
  Array<T> out(5);
  on_host_of<T>("complex", "magnitude").execute(host, z, out);
  EXPECT_NEAR(out[0] / huge, 1.25, 1e-6);
  EXPECT_NEAR(out[1] / tiny, 5, 1e-5);
  EXPECT_EQ(out[2], kInf<T>);
  EXPECT_EQ(out[3], T(0));
  EXPECT_TRUE(std::isnan(out[4]));
}

}  // namespace
}  // namespace graft::test
