// Runs plans of several dimensions on the CPU with numbers, and compares with FFTs in long double along one dimension
// after the other.
#include <gmock/gmock.h>

#include <random>

#include "families/fft/fft_on_host.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/reference.hpp"

namespace graft::test {
namespace {

using families::fft::Plan;
using families::fft::Precision;
using Shape = std::vector<std::int64_t>;

template <class Real>
constexpr Precision kPrecision = sizeof(Real) == 4 ? Precision::Single : Precision::Double;

// As many FFTs as make the last thread block of a kernel incomplete, if it has several.
std::int64_t batch_for(const Plan& plan) {
  return plan.has_workspace() ? 2 : plan.kernels[0].block.ffts + 1;
}

template <class Real>
void expect_shape(const Plan& plan, bool is_inverse, const BatchLayout& of_in, const BatchLayout& of_out) {
  const std::int64_t batch = batch_for(plan);
  const auto in = random_signal<Real>(static_cast<std::size_t>(batch * of_in.distance), 7);
  std::vector<graft_fft::Complex<Real>> out(static_cast<std::size_t>(batch * of_out.distance));
  fft_on_host(plan, is_inverse, in, of_in, out, of_out, batch);
  for (std::int64_t b = 0; b < batch; ++b) {
    std::vector<graft_fft::Complex<Real>> x, found;
    for (std::int64_t p = 0; p < plan.length; ++p) {
      x.push_back(in[static_cast<std::size_t>(b * of_in.distance + p * of_in.stride)]);
      found.push_back(out[static_cast<std::size_t>(b * of_out.distance + p * of_out.stride)]);
    }
    ASSERT_LT(rms_error(found, reference_fft(wide(x), plan.shape, is_inverse ? 1 : -1)), 5) << describe(plan);
  }
}

template <class Real>
void expect_shape(const Shape& shape, int architecture) {
  const std::optional<Plan> plan =
      families::fft::make_plan_of_shape(shape, kPrecision<Real>, Architecture(architecture), false);
  ASSERT_TRUE(plan) << testing::PrintToString(shape);
  const BatchLayout dense = {1, plan->length}, strided = {3, 3 * plan->length + 5};
  for (const bool is_inverse : {false, true}) {
    expect_shape<Real>(*plan, is_inverse, dense, dense);
    expect_shape<Real>(*plan, is_inverse, dense, strided);
    expect_shape<Real>(*plan, is_inverse, strided, dense);
  }
}

// An FFT, a function of the frequency, and an inverse FFT.
template <class Real>
void expect_filter(const Shape& shape, int architecture) {
  const std::optional<Plan> plan =
      families::fft::make_plan_of_shape(shape, kPrecision<Real>, Architecture(architecture), true);
  ASSERT_TRUE(plan) << testing::PrintToString(shape);
  const auto factor = [](std::size_t frequency) { return static_cast<Real>(1 + frequency * 7919 % 13); };
  const auto n = static_cast<std::size_t>(plan->length);
  const std::int64_t batch = batch_for(*plan);
  const auto in = random_signal<Real>(static_cast<std::size_t>(batch) * n, 3);
  std::vector<graft_fft::Complex<Real>> out(in.size());
  const BatchLayout dense = {1, plan->length};
  fft_on_host<Real>(*plan, false, in, dense, out, dense, batch,
                    [&](const graft_fft::Complex<Real>& value, unsigned frequency) {
                      const Real by = factor(frequency);
                      return graft_fft::Complex<Real>{value.re * by, value.im * by};
                    });
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b) {
    const auto begin = static_cast<std::ptrdiff_t>(b * n), end = begin + plan->length;
    std::vector<Wide> expected = reference_fft(wide<Real>({in.begin() + begin, in.begin() + end}), shape, -1);
    for (std::size_t k = 0; k < n; ++k) expected[k] *= factor(k);
    expected = reference_fft(expected, shape, 1);
    ASSERT_LT(rms_error<Real>({out.begin() + begin, out.begin() + end}, expected), 8) << describe(*plan);
  }
}

TEST(FftShapes, AreFftsAlongEachDimension) {
  std::mt19937 random(3);
  constexpr int kArchitectures[] = {75, 80, 90, 120};
  int in_one = 0, in_several = 0;
  for (int round = 0; round < 200; ++round) {
    Shape shape;
    const std::int64_t most = 1 + static_cast<std::int64_t>(random() % 40000);
    for (std::size_t dimensions = 2 + random() % 2; shape.size() < dimensions;) {
      const std::int64_t room = std::min<std::int64_t>(4096, most / families::fft::points_of_shape(shape)),
                         upto = 1 + static_cast<std::int64_t>(random()) % room;
      shape.push_back(*families::fft::good_length_below(upto + 1));
    }
    std::ranges::shuffle(shape, random);
    SCOPED_TRACE(testing::PrintToString(shape));
    const int architecture = kArchitectures[round % 4];
    if (round % 3 == 0) {
      ASSERT_NO_FATAL_FAILURE(expect_shape<double>(shape, architecture));
    } else {
      ASSERT_NO_FATAL_FAILURE(expect_shape<float>(shape, architecture));
    }
    if (round % 2 == 0) {
      ASSERT_NO_FATAL_FAILURE(expect_filter<float>(shape, architecture));
    }
    const std::size_t kernels =
        families::fft::make_plan_of_shape(shape, Precision::Single, Architecture(architecture), false)->kernels.size();
    ++(kernels == 1 ? in_one : in_several);
  }
  EXPECT_GT(in_one, 50);
  EXPECT_GT(in_several, 20);
}

TEST(FftShapes, TakeTheKernelsThatTheyNeed) {
  const auto kernels = [](const Shape& shape, int architecture, bool has_inverse = false) {
    return families::fft::make_plan_of_shape(shape, Precision::Single, Architecture(architecture), has_inverse)
        .value()
        .kernels.size();
  };
  EXPECT_EQ(kernels({16, 16}, 75), 1U);
  EXPECT_EQ(kernels({128, 128}, 90), 1U);
  EXPECT_EQ(kernels({128, 128}, 75), 2U);
  EXPECT_EQ(kernels({16, 16, 16}, 90), 1U);
  EXPECT_EQ(kernels({64, 64, 64}, 90), 2U);  // planes of 64 x 64 fit
  EXPECT_EQ(kernels({256, 256, 256}, 90), 3U);
  EXPECT_EQ(kernels({4096, 4096}, 90), 2U);
  EXPECT_EQ(kernels({64, 64}, 90, true), 1U);
  EXPECT_EQ(kernels({512, 512}, 90, true), 3U);
  EXPECT_EQ(kernels({256, 256, 256}, 90, true), 5U);
  EXPECT_EQ(kernels({1, 1}, 90), 1U);
}

// What fft.hpp and docs/fft.md say about the points that a dimension can have, next to others or not.
TEST(FftShapes, HaveDimensionsAsLongAsDocumented) {
  const auto is_possible = [](std::int64_t n, Precision precision, int architecture) {
    // In two kernels: none of the dimensions is split.
    const auto is_whole = [&](const Shape& shape) {
      const auto plan = families::fft::make_plan_of_shape(shape, precision, Architecture(architecture), true);
      return plan && plan->kernels.size() == 3;
    };
    EXPECT_EQ(is_whole({4096, n}), is_whole({n, 4096})) << n << " on " << architecture;
    return is_whole({16, n});
  };
  for (const int architecture : {80, 90, 120}) {
    for (const std::int64_t n : {8575, 11979, 12005, 13013, 14641, 15379, 15625, 16384})
      EXPECT_TRUE(is_possible(n, Precision::Single, architecture)) << n << " on " << architecture;
    for (const std::int64_t n : {7371, 7865, 8470, 8575, 9000})
      EXPECT_TRUE(is_possible(n, Precision::Double, architecture)) << n << " on " << architecture;
  }
}

// The slowest dimension is split where that costs less, and one that does not fit into a thread block wherever it is.
TEST(FftShapes, SplitDimensions) {
  const auto lengths = [](const Shape& shape, Precision precision, int architecture) {
    std::vector<int> found;
    const auto plan = families::fft::make_plan_of_shape(shape, precision, Architecture(architecture), false);
    if (plan)
      for (const families::fft::Kernel& kernel : plan->kernels) found.push_back(kernel.block.length);
    return found;
  };
  using Lengths = std::vector<int>;
  EXPECT_EQ(lengths({8192, 32}, Precision::Single, 90), (Lengths{128, 64 * 32}));
  EXPECT_EQ(lengths({625, 81}, Precision::Single, 90), (Lengths{25, 25 * 81}));
  EXPECT_EQ(lengths({1000, 1000}, Precision::Single, 90), (Lengths{1000, 1000}));
  EXPECT_EQ(lengths({8192, 8192}, Precision::Single, 90), (Lengths{8192, 8192}));
  for (const int architecture : {75, 80, 90, 120})
    for (const Precision precision : {Precision::Single, Precision::Double}) {
      EXPECT_EQ(lengths({40000, 3}, precision, architecture).size(), 2U) << architecture;
      EXPECT_EQ(lengths({3, 40000}, precision, architecture).size(), 3U) << architecture;
      EXPECT_EQ(lengths({6, 40000, 5}, precision, architecture).size(), 4U) << architecture;
    }
  EXPECT_EQ(lengths({9889, 10240}, Precision::Double, 90).size(), 3U);
  EXPECT_EQ(lengths({40000, 40000}, Precision::Single, 90), Lengths());
}

TEST(FftShapes, OfLargeExtents) {
  for (const Shape& shape : {Shape{128, 128}, Shape{256, 100}, Shape{3, 8192}, Shape{8192, 3}, Shape{1, 360},
                             Shape{360, 1}, Shape{1, 1, 1}, Shape{24, 32, 40}, Shape{13, 11, 169}}) {
    ASSERT_NO_FATAL_FAILURE(expect_shape<float>(shape, 90));
    ASSERT_NO_FATAL_FAILURE(expect_filter<float>(shape, 90));
    ASSERT_NO_FATAL_FAILURE(expect_shape<double>(shape, 90));
  }
}

}  // namespace
}  // namespace graft::test
