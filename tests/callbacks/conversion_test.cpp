// Tests the ready-made conversions to and from half, bfloat16 and quantised integers.
#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

// Returns floats with bit patterns from the whole range, and floats that lie exactly between two half numbers.
std::vector<float> all_kinds_of_floats() {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < (1ull << 32); bits += 0x1000)
    x.push_back(std::bit_cast<float>(std::uint32_t(bits)));
  for (std::uint64_t bits = 0x7f; bits < (1ull << 32); bits += 0x10007)
    x.push_back(std::bit_cast<float>(std::uint32_t(bits)));
  return x;
}

// Expects that the results have the same bits as those of Eigen's own conversions.
template <class Reference, class Narrow>
void expect_rounded_like(const std::vector<float>& x, const std::vector<Narrow>& got) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const auto bits = std::bit_cast<std::uint16_t>(got[i]);
    const Reference want(x[i]);
    if (std::isnan(x[i])) ASSERT_TRUE(std::isnan(static_cast<float>(std::bit_cast<Reference>(bits))));
    else ASSERT_EQ(bits, std::bit_cast<std::uint16_t>(want)) << x[i];
  }
}

template <class Reference, class Narrow>
void expect_all_values_widened(const Transform& widen) {
  std::vector<Narrow> in(65536);
  std::vector<float> out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = std::bit_cast<Narrow>(static_cast<std::uint16_t>(i));
  widen.execute(host, in, out);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto want = static_cast<float>(std::bit_cast<Reference>(in[i]));
    if (std::isnan(want)) ASSERT_TRUE(std::isnan(out[i]));
    else ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(want));
  }
}

TEST(Conversion, ToHalfRoundsToNearestEven) {
  const std::vector<float> x = all_kinds_of_floats();
  std::vector<__half> out(x.size());
  on_host("conversion", "float_to_half").execute(host, x, out);
  expect_rounded_like<Eigen::half>(x, out);
}

TEST(Conversion, ToBfloat16RoundsToNearestEven) {
  const std::vector<float> x = all_kinds_of_floats();
  std::vector<__nv_bfloat16> out(x.size());
  on_host("conversion", "float_to_bfloat16").execute(host, x, out);
  expect_rounded_like<Eigen::bfloat16>(x, out);
}

TEST(Conversion, FromNarrowIsExact) {
  expect_all_values_widened<Eigen::half, __half>(on_host("conversion", "half_to_float"));
  expect_all_values_widened<Eigen::bfloat16, __nv_bfloat16>(on_host("conversion", "bfloat16_to_float"));
}

template <class Q>
class Quantize : public testing::Test {
 public:
  static constexpr int kLowest = std::numeric_limits<Q>::lowest(), kHighest = std::numeric_limits<Q>::max();
  static std::string entry(const char* name) {
    return fmt::format("{}<{}>", name, std::is_signed_v<Q> ? "signed char" : "unsigned char");
  }
  static std::vector<Q> run(const Array<float>& x, own::Quantization to) {
    std::vector<Q> q(static_cast<std::size_t>(x.size()));
    on_host("conversion", entry("quantize")).execute(host, x, q, to);
    return q;
  }
};

using Bytes = testing::Types<signed char, unsigned char>;
TYPED_TEST_SUITE(Quantize, Bytes);

TYPED_TEST(Quantize, IsTheNearestValueSaturated) {
  const own::Quantization to{0.037f, 11};
  const Array<float> x = uniform<float>(20000, -10, 10);
  const auto q = this->run(x, to);
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    const double steps = double(x[i]) / to.scale;
    const double exact = std::clamp<double>(steps + to.zero_point, this->kLowest, this->kHighest);
    ASSERT_LE(std::fabs(q[static_cast<std::size_t>(i)] - exact), 0.5 + std::fabs(steps) * kUnit<float>) << x[i];
  }
}

TYPED_TEST(Quantize, TiesGoToEvenAndTheRestSaturates) {
  Array<float> x(10);
  x << 0.5f, 1.5f, 2.5f, 3.5f, -0.5f, 1e30f, -1e30f, kInf<float>, -kInf<float>, kNan<float>;
  const auto q = this->run(x, {1.0f, 2});
  const int want[] = {2, 4, 4, 6, 2, this->kHighest, this->kLowest, this->kHighest, this->kLowest, 2};
  for (std::size_t i = 0; i < q.size(); ++i) EXPECT_EQ(q[i], want[i]) << x[static_cast<Eigen::Index>(i)];
}

TYPED_TEST(Quantize, DequantizeIsItsInverse) {
  const own::Quantization scheme{0.037f, this->kLowest + 100};
  std::vector<TypeParam> q;
  for (int i = this->kLowest; i <= this->kHighest; ++i) q.push_back(static_cast<TypeParam>(i));
  Array<float> x(256);
  on_host("conversion", this->entry("dequantize")).execute(host, q, x, scheme);
  const Array<double> want =
      (Array<double>::LinSpaced(256, this->kLowest, this->kHighest) - scheme.zero_point) * double(scheme.scale);
  expect_within<float>(x, want, ulps<float>(0.5, want));
  EXPECT_EQ(this->run(x, scheme), q);
}

}  // namespace
}  // namespace graft::test
