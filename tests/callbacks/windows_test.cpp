// Compares the ready-made window functions of signal processing with the textbooks' formulas, which are sums of
// cosines. A window has one weight for each sample of a frame, and a signal is a sequence of frames of equal length.
#include <gtest/gtest.h>

#include <complex>
#include <vector>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

// A window of the form a0 - a1 cos(2 pi n / D) + a2 cos(4 pi n / D), where n is the sample's position in its frame and
// D is the window's period.
struct Cosines {
  const char* entry;
  long double a0, a1, a2;
  int ulps;
};

constexpr Cosines kWindows[] = {
    {"hann", 0.5L, 0.5L, 0, 12}, {"hamming", 0.54L, 0.46L, 0, 12}, {"blackman", 0.42L, 0.5L, 0.08L, 20}};

template <class T>
class Windows : public testing::Test {
 public:
  static Array<T> weights(const Cosines& w, own::Window window, Eigen::Index count) {
    Array<T> out(count);
    on_host_of<T>("windows", w.entry).execute(host, Array<T>(Array<T>::Ones(count)), out, window);
    return out;
  }

  // The reference's sum cancels near the edges of a window. There the reference itself has an error of a few units of
  // long double, which this function adds to the bound.
  static void expect_cosines(const Cosines& w, own::Window window, const Array<T>& x, const Array<T>& got) {
    Array<Wider<T>> want(x.size()), bound(x.size());
    const long double d = window.periodic ? window.length : window.length - 1;
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      const long double a = 2 * M_PIl * static_cast<long double>(i % window.length) / d;
      want[i] = static_cast<Wider<T>>(x[i] * (w.a0 - w.a1 * std::cos(a) + w.a2 * std::cos(2 * a)));
      bound[i] = w.ulps * ulp_at<T>(want[i]) + static_cast<Wider<T>>(4 * std::numeric_limits<long double>::epsilon());
    }
    expect_within<T>(got, want, bound);
  }
};

using Reals = testing::Types<float, double>;
TYPED_TEST_SUITE(Windows, Reals);

TYPED_TEST(Windows, AreTheTextbooksSumsOfCosines) {
  using T = TypeParam;
  const Array<T> x = uniform<T>(30000, -2, 2);  // covers several frames, the last one incompletely
  for (const Cosines& w : kWindows) {
    const Transform transform = on_host_of<T>("windows", w.entry);
    for (const own::Window window :
         {own::Window{1024, 0}, own::Window{1024, 1}, own::Window{7, 0}, own::Window{9973, 1}}) {
      SCOPED_TRACE(fmt::format("{} of {}, periodic {}", w.entry, window.length, window.periodic));
      Array<T> out(x.size());
      transform.execute(host, x, out, window);
      this->expect_cosines(w, window, x, out);
    }
  }
}

TYPED_TEST(Windows, SymmetricOnesAreMirrored) {
  using T = TypeParam;
  for (const Cosines& w : kWindows)
    for (const unsigned length : {2u, 5u, 64u, 1001u}) {
      const Array<T> weights = this->weights(w, {length, 0}, length);
      EXPECT_TRUE((weights == weights.reverse()).all()) << w.entry << " " << length;
    }
}

// The periodic window of N samples equals the symmetric window of N + 1 samples without its last sample.
TYPED_TEST(Windows, PeriodicOnesAreOneSampleShort) {
  for (const Cosines& w : kWindows)
    EXPECT_TRUE((this->weights(w, {64, 1}, 64) == this->weights(w, {65, 0}, 65).head(64)).all()) << w.entry;
}

TYPED_TEST(Windows, OfLengthOneAreOne) {
  using T = TypeParam;
  for (const Cosines& w : kWindows)
    for (const unsigned periodic : {0u, 1u}) {
      const Array<T> weights = this->weights(w, {1, periodic}, 3);
      EXPECT_TRUE((weights == T(1)).all()) << w.entry << " " << periodic << ": " << weights.transpose();
    }
}

// Compares with the definition by std::cyl_bessel_i in long double.
TYPED_TEST(Windows, KaiserIsTheDefinition) {
  using T = TypeParam;
  const Array<T> x = uniform<T>(3000, -2, 2);
  const Transform transform = on_host_of<T>("windows", "kaiser");
  for (const T beta : {T(0), T(0.5), T(5), T(8.6), T(14), T(20)})
    for (const auto& [length, periodic] : {std::pair(1024U, 0U), std::pair(301U, 1U), std::pair(1U, 0U)}) {
      SCOPED_TRACE(fmt::format("beta {}, length {}, periodic {}", beta, length, periodic));
      const long double b = beta, peak = std::cyl_bessel_i(0.0L, b);
      Array<T> out(x.size());
      transform.execute(host, x, out, own::Kaiser<T>{length, periodic, beta, static_cast<T>(1 / peak)});
      Array<Wider<T>> want(x.size());
      for (Eigen::Index i = 0; i < x.size(); ++i) {
        const long double t =
            2.0L * static_cast<long double>(i % length) / std::max(periodic ? length : length - 1, 1U);
        const long double argument = length == 1 ? b : b * std::sqrt(t * (2 - t));
        want[i] = static_cast<Wider<T>>(x[i] * (std::cyl_bessel_i(0.0L, argument) / peak));
      }
      expect_within<T>(out, want, ulps<T>(40, want));
    }
}

// A complex number is multiplied by the weight of a real one.
TYPED_TEST(Windows, OfComplexNumbersHaveRealWeights) {
  using T = TypeParam;
  const std::string type = fmt::format("<graft::complex<{}>>", name_of<T>());
  const Array<T> ones = Array<T>::Ones(50);
  const std::vector<std::complex<T>> x(50, {1, -1});
  const auto expect_weights = [&](const char* entry, const auto& state) {
    Array<T> weights(50);
    std::vector<std::complex<T>> out(50);
    on_host_of<T>("windows", entry).execute(host, ones, weights, state);
    on_host("windows", entry + type).execute(host, x, out, state);
    for (Eigen::Index i = 0; i < 50; ++i)
      EXPECT_EQ(out[static_cast<std::size_t>(i)], std::complex<T>(weights[i], -weights[i])) << entry << " " << i;
  };
  for (const Cosines& w : kWindows) expect_weights(w.entry, own::Window{20, 1});
  expect_weights("kaiser", own::Kaiser<T>{20, 0, T(8), T(0.002)});
}

// Periodic Hann frames that overlap by half add up to 1. The overlap-add method relies on this.
TYPED_TEST(Windows, PeriodicHannAddsUpToOne) {
  using T = TypeParam;
  const Array<T> weights = this->weights(kWindows[0], {256, 1}, 256);
  EXPECT_TRUE(((weights.head(128) + weights.tail(128) - T(1)).abs() <= 8 * std::numeric_limits<T>::epsilon()).all());
}

}  // namespace
}  // namespace graft::test
