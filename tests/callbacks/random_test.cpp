// Tests the ready-made random numbers: Philox by its authors' test vectors, uniform and normal numbers by their moments
// and their distribution, and the callbacks that use random numbers.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/callbacks/compare.hpp"

namespace graft::test {
namespace {

using own::Philox;
using own::Words4;

struct Vector {
  std::array<unsigned, 4> counter;
  std::array<unsigned, 2> key;
  std::array<unsigned, 4> words;
};

// The three test vectors (counter, key, result) of "philox4x32 10" in Random123's file kat_vectors.
constexpr Vector kPublished[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

unsigned long long joined64(unsigned low, unsigned high) {
  return static_cast<unsigned long long>(high) << 32 | low;
}

TEST(Philox, AgreesWithThePublishedVectors) {
  for (const Vector& vector : kPublished) {
    const Philox from{joined64(vector.key[0], vector.key[1]), joined64(vector.counter[2], vector.counter[3])};
    const Words4 words = own::philox({joined64(vector.counter[0], vector.counter[1])}, from);
    EXPECT_EQ((std::array{words.x, words.y, words.z, words.w}), vector.words);
  }
}

TEST(Philox, IsAFunctionOfTheIndexInATransform) {
  const Philox from{7, 9};
  std::vector<Words4> out(1000);
  on_host("random", "philox").execute(host, host_inputs(), out, from);
  std::vector<unsigned> first(1000);
  on_host("random", "random_bits").execute(host, host_inputs(), first, from);
  for (unsigned i = 0; i < out.size(); ++i) {
    const Words4 want = own::philox({i}, from);
    ASSERT_EQ((std::array{out[i].x, out[i].y, out[i].z, out[i].w}), (std::array{want.x, want.y, want.z, want.w}));
    ASSERT_EQ(first[i], want.x);
  }
}

// Checks the first four moments against those of the distribution. The bounds are five standard errors of a sample of
// this size; the seed is fixed, so the test is deterministic.
template <class T>
void expect_moments(const Array<T>& sample, double mean, double variance, double fourth, double eighth) {
  const Array<double> x = sample.template cast<double>() - mean;
  const auto n = static_cast<double>(x.size());
  EXPECT_NEAR(x.mean(), 0, 5 * std::sqrt(variance / n));
  EXPECT_NEAR(x.square().mean(), variance, 5 * std::sqrt((fourth - variance * variance) / n));
  EXPECT_NEAR(x.cube().mean(), 0, 5 * std::sqrt(fourth * variance * 5 / n));
  EXPECT_NEAR(x.square().square().mean(), fourth, 5 * std::sqrt((eighth - fourth * fourth) / n));
}

template <class T>
class Numbers : public testing::Test {};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Numbers, Types);

TYPED_TEST(Numbers, UniformNumbersLieInTheOpenIntervalAndFillItEvenly) {
  Array<TypeParam> out(1 << 20);
  on_host_of<TypeParam>("random", "uniform").execute(host, host_inputs(), out, Philox{1, 2});
  EXPECT_TRUE((out > 0 && out < 1).all());
  expect_moments<TypeParam>(out, 0.5, 1.0 / 12, 1.0 / 80, 1.0 / 2304);
  std::array<int, 256> bins{};
  for (const TypeParam x : out) ++bins[static_cast<std::size_t>(x * 256)];
  double chi_squared = 0;
  const double expected = static_cast<double>(out.size()) / 256;
  for (const int count : bins) chi_squared += (count - expected) * (count - expected) / expected;
  EXPECT_NEAR(chi_squared, 255, 5 * std::sqrt(2 * 255.0));
}

TYPED_TEST(Numbers, NormalNumbersHaveTheMomentsOfTheNormalDistribution) {
  Array<TypeParam> out(1 << 20);
  on_host_of<TypeParam>("random", "normal").execute(host, host_inputs(), out, Philox{3, 4});
  EXPECT_TRUE(out.isFinite().all());
  EXPECT_TRUE((out.abs() < 8.6).all());
  expect_moments<TypeParam>(out, 0, 1, 3, 105);
}

TYPED_TEST(Numbers, StreamsAndSeedsGiveOtherNumbers) {
  const Transform draw = on_host_of<TypeParam>("random", "uniform");
  Array<TypeParam> a(1 << 16), b(1 << 16), c(1 << 16);
  draw.execute(host, host_inputs(), a, Philox{1, 2});
  draw.execute(host, host_inputs(), b, Philox{1, 3});
  draw.execute(host, host_inputs(), c, Philox{2, 2});
  const double bound = 5 / (12 * std::sqrt(static_cast<double>(a.size())));
  EXPECT_NEAR(((a - TypeParam(0.5)) * (b - TypeParam(0.5))).template cast<double>().mean(), 0, bound);
  EXPECT_NEAR(((a - TypeParam(0.5)) * (c - TypeParam(0.5))).template cast<double>().mean(), 0, bound);
}

TYPED_TEST(Numbers, NoiseAndDropoutUseTheSameNumbers) {
  const Philox from{5, 6};
  const Array<TypeParam> in = uniform<TypeParam>(10000, 1, 2);
  Array<TypeParam> noisy(in.size()), normal(in.size()), dropped(in.size()), even(in.size());
  on_host_of<TypeParam>("random", "add_noise").execute(host, in, noisy, own::Noise<TypeParam>{from, TypeParam(0.25)});
  on_host_of<TypeParam>("random", "normal").execute(host, host_inputs(), normal, from);
  on_host_of<TypeParam>("random", "dropout").execute(host, in, dropped, own::Dropout<TypeParam>{from, TypeParam(0.25)});
  on_host_of<TypeParam>("random", "uniform").execute(host, host_inputs(), even, from);
  for (Eigen::Index i = 0; i < in.size(); ++i) {
    ASSERT_NEAR(noisy[i], in[i] + TypeParam(0.25) * normal[i], 1e-6);
    ASSERT_EQ(dropped[i], even[i] < TypeParam(0.25) ? TypeParam(0) : in[i] / TypeParam(0.75));
  }
}

TEST(Philox, FourNumbersComeFromFourWords) {
  using own::Numbers4;
  const Philox from{8, 9};
  std::vector<Numbers4<float>> even(1 << 18), normal(1 << 18);
  std::vector<float> first(1 << 18);
  on_host("random", "uniform4").execute(host, host_inputs(), even, from);
  on_host("random", "normal4").execute(host, host_inputs(), normal, from);
  on_host("random", "uniform<float>").execute(host, host_inputs(), first, from);
  Array<float> all(4 << 18);
  for (std::size_t i = 0; i < even.size(); ++i) {
    ASSERT_EQ(even[i].x, first[i]);
    const auto at = static_cast<Eigen::Index>(4 * i);
    all[at] = normal[i].x;
    all[at + 1] = normal[i].y;
    all[at + 2] = normal[i].z;
    all[at + 3] = normal[i].w;
  }
  expect_moments<float>(all, 0, 1, 3, 105);
}

}  // namespace
}  // namespace graft::test
