// Tests the floating-point formats of 16 bits.
#include "base/small_float.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace graft::base {
namespace {

TEST(SmallFloat, EveryNumberComesBack) {
  for (const int mantissa_bits : {10, 7})
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
      const double value = from_small_float(static_cast<std::uint16_t>(bits), mantissa_bits);
      const std::uint16_t back = to_small_float(value, mantissa_bits);
      if (!std::isnan(value)) {
        ASSERT_EQ(back, bits) << mantissa_bits;
        continue;
      }
      EXPECT_TRUE(std::isnan(from_small_float(back, mantissa_bits)));
      EXPECT_EQ(back & 0x8000, bits & 0x8000);
    }
}

TEST(SmallFloat, ValuesAreThoseOfTheFormats) {
  EXPECT_EQ(from_small_float(0x3c00, 10), 1);
  EXPECT_EQ(from_small_float(0xc001, 10), -2 - 0x1p-9);
  EXPECT_EQ(from_small_float(0x0001, 10), 0x1p-24);
  EXPECT_EQ(from_small_float(0x7bff, 10), 65504);
  EXPECT_EQ(from_small_float(0xfc00, 10), -HUGE_VAL);
  EXPECT_TRUE(std::isnan(from_small_float(0x7c01, 10)));
  EXPECT_EQ(from_small_float(0x3f80, 7), 1);
  EXPECT_EQ(from_small_float(0x0001, 7), 0x1p-133);
  EXPECT_EQ(from_small_float(0x7f80, 7), HUGE_VAL);
}

}  // namespace
}  // namespace graft::base
