// Tests the butterflies: they compute DFTs, and the planner's table has their numbers of instructions.
#include "fft/butterfly.h"

#include <gmock/gmock.h>

#include "families/fft/block_planner.hpp"
#include "families/fft/reference.hpp"

namespace graft::test {
namespace {

template <class Real>
void expect_dft(int radix) {
  const auto x = random_signal<Real>(static_cast<std::size_t>(radix), static_cast<unsigned>(radix));
  auto y = x;
  graft_fft::run_butterfly(radix, y.data());
  EXPECT_LT(rms_error(y, naive_dft(wide(x), -1)), 2.2) << radix;
}

TEST(Butterfly, OfEveryRadixIsADft) {
  for (int radix = 1; radix <= graft_fft::kLargestRadix; ++radix) {
    if (!graft_fft::is_radix(radix)) continue;
    expect_dft<float>(radix);
    expect_dft<double>(radix);
  }
}

// A number that counts the instructions of operations with it. An addition to a product, or a subtraction, is part of
// the product's instruction.
struct Counted {
  static inline int instructions = 0;
  Counted() = default;
  explicit Counted(double) {}
};
struct Product : Counted {};
Product operator*(Counted, Counted) {
  ++Counted::instructions;
  return {};
}
Counted counted_sum() {
  ++Counted::instructions;
  return {};
}
Counted operator+(Counted, Counted) {
  return counted_sum();
}
Counted operator-(Counted, Counted) {
  return counted_sum();
}
Counted operator-(Counted) {
  return counted_sum();
}
Counted operator+(Counted, Product) {
  return {};
}
Counted operator-(Counted, Product) {
  return {};
}
Counted operator+(Product, Product) {
  return {};
}
Counted operator-(Product, Product) {
  return {};
}

TEST(Butterfly, TakesAsManyInstructionsAsThePlannerReckons) {
  for (int radix = 2; radix <= graft_fft::kLargestRadix; ++radix) {
    if (!graft_fft::is_radix(radix)) continue;
    graft_fft::Complex<Counted> a[graft_fft::kLargestRadix];
    Counted::instructions = 0;
    graft_fft::run_butterfly(radix, a);
    EXPECT_DOUBLE_EQ(families::fft::instructions_per_point(radix) * radix, Counted::instructions) << radix;
  }
}

}  // namespace
}  // namespace graft::test
