// Compares the ready-made arithmetic callbacks (axpy, clamp, lerp, ...) with exact results and with references of
// higher precision.
#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

constexpr Eigen::Index kCount = 5000;

template <class T>
class Arithmetic : public testing::Test {
 public:
  const Array<T> left = joined<T>(uniform<T>(kCount, -10, 10, 1), {T(0), T(1), kInf<T>, kInf<T>, kNan<T>, T(2)});
  const Array<T> right = joined<T>(uniform<T>(kCount, -10, 10, 2), {T(-0.0), T(0), T(1), -kInf<T>, T(1), kNan<T>});
  const Array<Wider<T>> wide_left = left.template cast<Wider<T>>();
  const Array<Wider<T>> wide_right = right.template cast<Wider<T>>();

  Array<T> run(const char* entry) const {
    Array<T> z(left.size());
    on_host_of<T>("arithmetic", entry).execute(host, host_inputs(left, right), z);
    return z;
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Arithmetic, Reals);

// C++ rounds a single operation on type T correctly, so the same operation in C++ is the reference.
TYPED_TEST(Arithmetic, OneOperationIsCorrectlyRounded) {
  using T = TypeParam;
  const auto expect_equal = [](const Array<T>& got, const Array<T>& want) {
    const Array<Wider<T>> wide = want.template cast<Wider<T>>();
    expect_within<T>(got, wide, 0 * ulps<T>(1, wide));
  };
  expect_equal(this->run("add"), this->left + this->right);
  expect_equal(this->run("subtract"), this->left - this->right);
  expect_equal(this->run("multiply"), this->left * this->right);
  expect_equal(this->run("divide"), this->left / this->right);
}

TYPED_TEST(Arithmetic, MinimumAndMaximumKeepNan) {
  using T = TypeParam;
  const Array<T> low = this->run("minimum");
  const Array<T> high = this->run("maximum");
  for (Eigen::Index i = 0; i < low.size(); ++i) {
    const bool has_nan = std::isnan(this->left[i]) || std::isnan(this->right[i]);
    ASSERT_EQ(std::isnan(low[i]), has_nan);
    ASSERT_EQ(std::isnan(high[i]), has_nan);
    if (has_nan) continue;
    ASSERT_EQ(low[i], std::min(this->left[i], this->right[i]));
    ASSERT_EQ(high[i], std::max(this->left[i], this->right[i]));
  }
}

TYPED_TEST(Arithmetic, MultiplyAddRoundsOnce) {
  using T = TypeParam;
  // z cancels the rounded x * y exactly: without a fused multiply-add the result would be 0.
  const Array<T> z = -this->left * this->right;
  Array<T> out(z.size());
  on_host_of<T>("arithmetic", "multiply_add").execute(host, host_inputs(this->left, this->right, z), out);
  Array<Wider<T>> want(z.size());
  for (Eigen::Index i = 0; i < z.size(); ++i) want[i] = std::fma(this->left[i], this->right[i], z[i]);
  expect_within<T>(out, want, 0 * ulps<T>(1, want));
  EXPECT_GT((out.head(kCount) != T(0)).count(), kCount / 2);
}

TYPED_TEST(Arithmetic, AxpyAndAffine) {
  using T = TypeParam;
  using W = Wider<T>;
  const T a = T(1.7), b = T(-0.3);
  Array<T> out(this->left.size());
  on_host_of<T>("arithmetic", "axpy").execute(host, host_inputs(this->left, this->right), out, own::Scale<T>{a});
  expect_within<T>(out, W(a) * this->wide_left + this->wide_right,
                   2 * kUnit<T> * ((W(a) * this->wide_left).abs() + this->wide_right.abs()));
  on_host_of<T>("arithmetic", "affine").execute(host, this->left, out, own::Affine<T>{a, b});
  expect_within<T>(out, W(a) * this->wide_left + W(b), 2 * kUnit<T> * ((W(a) * this->wide_left).abs() - W(b)));
}

TYPED_TEST(Arithmetic, ClampLimitsAndKeepsNan) {
  using T = TypeParam;
  Array<T> out(this->left.size());
  on_host_of<T>("arithmetic", "clamp").execute(host, this->left, out, own::Range<T>{T(-2), T(3)});
  Array<Wider<T>> want = this->wide_left.max(Wider<T>(-2)).min(Wider<T>(3));
  want = this->wide_left.isNaN().select(this->wide_left, want);
  expect_within<T>(out, want, 0 * ulps<T>(1, want));
}

TYPED_TEST(Arithmetic, LerpIsExactAtItsEnds) {
  using T = TypeParam;
  const Array<T> x = this->left.head(kCount), y = this->right.head(kCount);
  Array<T> out(kCount);
  const Transform lerp = on_host_of<T>("arithmetic", "lerp");
  lerp.execute(host, host_inputs(x, y, Array<T>(Array<T>::Zero(kCount))), out);
  EXPECT_TRUE((out == x).all());
  lerp.execute(host, host_inputs(x, y, Array<T>(Array<T>::Ones(kCount))), out);
  EXPECT_TRUE((out == y).all());
}

TYPED_TEST(Arithmetic, Lerp) {
  using T = TypeParam;
  using W = Wider<T>;
  const Array<T> x = this->left.head(kCount), y = this->right.head(kCount), t = uniform<T>(kCount, -1, 2, 3);
  Array<T> out(kCount);
  on_host_of<T>("arithmetic", "lerp").execute(host, host_inputs(x, y, t), out);
  const Array<W> from = (1 - t.template cast<W>()) * x.template cast<W>();
  const Array<W> to = t.template cast<W>() * y.template cast<W>();
  expect_within<T>(out, from + to, 2 * kUnit<T> * (from.abs() + to.abs()));
}

TYPED_TEST(Arithmetic, Ramp) {
  using T = TypeParam;
  using W = Wider<T>;
  const own::Ramp<T> ramp{T(0.7), T(-0.013)};
  Array<T> out(kCount);
  on_host_of<T>("arithmetic", "ramp").execute(host, host_inputs(), out, ramp);
  const Array<W> steps = Array<W>::LinSpaced(kCount, 0, kCount - 1) * W(ramp.step);
  expect_within<T>(out, W(ramp.start) + steps, 3 * kUnit<T> * (W(ramp.start) + steps.abs()));
}

// Tests all pairs of bytes. Unsigned results must wrap modulo 256, although C++ computes them in int.
TEST(IntegerArithmetic, BytesWrap) {
  std::vector<std::uint8_t> x(65536), y(65536), out(65536);
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<std::uint8_t>(i);
    y[i] = static_cast<std::uint8_t>(i / 256);
  }
  on_host("arithmetic", "multiply<unsigned char>").execute(host, host_inputs(x, y), out);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], (i % 256) * (i / 256) % 256);
  on_host("arithmetic", "subtract<unsigned char>").execute(host, host_inputs(x, y), out);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], (i % 256 + 256 - i / 256) % 256);
}

}  // namespace
}  // namespace graft::test
