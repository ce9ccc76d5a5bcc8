// Runs plans of FFTs whose lengths have large prime factors on the CPU with numbers, and compares with FFTs in long
// double.
#include <gmock/gmock.h>

#include "families/fft/fft_on_host.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/reference.hpp"

namespace graft::test {
namespace {

using families::fft::Plan;
using families::fft::Precision;

// Of a length whose convolution is one kernel.
template <class Real>
void expect_convolution(std::int64_t length, int architecture) {
  const Precision precision = sizeof(Real) == 4 ? Precision::Single : Precision::Double;
  const Plan plan = families::fft::make_plan_of_convolution(length, precision, Architecture(architecture)).value();
  ASSERT_EQ(plan.kernels.size(), 1U);
  const auto n = static_cast<std::size_t>(length), batch = static_cast<std::size_t>(plan.kernels[0].block.ffts) + 1;
  for (const int sign : {-1, 1}) {
    const std::vector<graft_fft::Complex<Real>> in = random_signal<Real>(n * batch, 1);
    std::vector<graft_fft::Complex<Real>> out(n * batch);
    typename KernelOnHost<Real>::Arrays arrays;
    arrays.in = &in;
    arrays.out = &out;
    arrays.in_layout = arrays.out_layout = {1, length};
    arrays.batch = static_cast<std::int64_t>(batch);
    arrays.swaps_inputs = arrays.swaps_outputs = sign > 0;
    KernelOnHost<Real>(plan.kernels[0], arrays).run();
    for (const std::size_t b : {std::size_t{0}, batch - 1}) {
      std::vector<Wide> x;
      std::vector<graft_fft::Complex<Real>> found;
      for (std::size_t p = 0; p < n; ++p) {
        x.emplace_back(in[b * n + p].re, in[b * n + p].im);
        found.push_back(out[b * n + p]);
      }
      ASSERT_LT(rms_error(found, reference_fft(x, sign)), 8) << describe(plan);
    }
  }
}

TEST(FftConvolutions, AreTheFftsOfOtherLengths) {
  int round = 0;
  for (std::int64_t n = 37; n <= 2100; n += n < 200 ? 1 : 29) {
    if (families::fft::is_good_length(n)) continue;
    if (++round % 2 == 0) ASSERT_NO_FATAL_FAILURE(expect_convolution<float>(n, round % 3 == 0 ? 75 : 90)) << n;
    else ASSERT_NO_FATAL_FAILURE(expect_convolution<double>(n, round % 3 == 0 ? 120 : 80)) << n;
  }
  ASSERT_NO_FATAL_FAILURE(expect_convolution<float>(8191, 90));
}

TEST(FftConvolutions, OfLongFftsTakeSeveralKernels) {
  const Plan plan = families::fft::make_plan_of_convolution(10007, Precision::Single, Architecture(90)).value();
  EXPECT_EQ(plan.kernels.size(), 3U);
  EXPECT_THAT(describe(plan), testing::HasSubstr("10007 points by a convolution of 20160, f32"));
}

}  // namespace
}  // namespace graft::test
