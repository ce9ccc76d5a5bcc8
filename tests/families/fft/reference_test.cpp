// Tests that the reference FFT agrees with the definition of the DFT, and that roots of unity are the nearest numbers.
#include "families/fft/reference.hpp"

#include <gmock/gmock.h>

#include "families/fft/roots.hpp"
#include "fft/unit_root.h"

namespace graft::test {
namespace {

TEST(Reference, IsTheDftByDefinitionTo512Points) {
  for (std::size_t n = 1; n <= 512; n += n < 64 ? 1 : 32)
    for (const int sign : {-1, 1}) {
      const std::vector<Wide> x = wide(random_signal<double>(n, 1));
      const std::vector<Wide> fast = reference_fft(x, sign), slow = naive_dft(x, sign);
      for (std::size_t k = 0; k < n; ++k)
        ASSERT_LT(std::abs(fast[k] - slow[k]), 1e-15L) << n << " points, sign " << sign << ", frequency " << k;
    }
}

TEST(Roots, AreOnTheUnitCircleAtTheirAngles) {
  EXPECT_EQ(families::fft::root_of_unity(0, 7), Wide(1, 0));
  for (const std::int64_t n : {1, 2, 3, 4, 8, 12, 1000, 16777216})
    for (std::int64_t k = 0; k < n; k += n / 64 + 1) {
      const long double angle =
          -2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
      EXPECT_LT(static_cast<double>(std::abs(families::fft::root_of_unity(k, n) - std::polar(1.0L, angle))), 1e-18);
    }
  EXPECT_EQ(families::fft::root_of_unity(1, 4), Wide(0, -1));
}

TEST(Roots, OfButterfliesAreTheNearestDoubles) {
  for (int n = 1; n <= 16; ++n)
    for (int k = 0; k < n; ++k) {
      const Wide root = families::fft::root_of_unity(k, n);
      EXPECT_EQ(graft_fft::of_turns(k, n, false), static_cast<double>(root.real())) << k << "/" << n;
      EXPECT_EQ(graft_fft::of_turns(k, n, true), -static_cast<double>(root.imag())) << k << "/" << n;
    }
}

}  // namespace
}  // namespace graft::test
