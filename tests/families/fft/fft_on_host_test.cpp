// Runs plans on the CPU with numbers, and compares with FFTs in long double: every supported length to 4096, and larger
// ones; both directions and precisions; batches, strides, in place; and the properties that define a Fourier transform.
#include "families/fft/fft_on_host.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "families/fft/lengths.hpp"
#include "families/fft/reference.hpp"
#include "support/rotation.hpp"
#include "support/sweep.hpp"

namespace graft::test {
namespace {

using families::fft::Precision;

template <class Real>
constexpr Precision kPrecision = sizeof(Real) == 4 ? Precision::Single : Precision::Double;

template <class Real>
families::fft::Plan plan_for(std::int64_t length, int architecture = 90, const families::fft::Choices& choices = {}) {
  return families::fft::make_plan(length, kPrecision<Real>, Architecture(architecture), choices);
}

bool has_large_prime(const families::fft::Plan& plan) {
  const graft_fft::BlockPlan& block = plan.kernels[0].block;
  return std::any_of(block.passes, block.passes + block.pass_count,
                     [](const graft_fft::Pass& pass) { return graft_fft::is_large_prime_radix(pass.radix); });
}

// The largest error that tests accept, in rounding errors. It grows with the number of passes and kernels, and with
// primes, whose butterflies add up as many terms.
double most_error(const families::fft::Plan& plan) {
  if (plan.length > 8192 || plan.has_workspace()) return 5;
  if (has_large_prime(plan)) return 4;
  return plan.precision == Precision::Single ? 2.8 : 4;
}

template <class Real>
void expect_batch(const families::fft::Plan& plan, bool is_inverse, std::int64_t batch) {
  const auto n = static_cast<std::size_t>(plan.length);
  const auto in = random_signal<Real>(n * static_cast<std::size_t>(batch), static_cast<unsigned>(n));
  std::vector<graft_fft::Complex<Real>> out(in.size());
  const BatchLayout layout = {1, plan.length};
  fft_on_host(plan, is_inverse, in, layout, out, layout, batch);
  const ReferenceFft reference(n, is_inverse ? 1 : -1);
  for (std::size_t b = 0; b < static_cast<std::size_t>(batch); ++b) {
    const auto begin = static_cast<std::ptrdiff_t>(b * n), end = begin + plan.length;
    const std::vector<graft_fft::Complex<Real>> found(out.begin() + begin, out.begin() + end);
    const std::vector<Wide> expected =
        reference(wide(std::vector<graft_fft::Complex<Real>>(in.begin() + begin, in.begin() + end)));
    ASSERT_LT(rms_error(found, expected), most_error(plan))
        << (is_inverse ? "inverse, batch " : "forward, batch ") << b << ", " << describe(plan);
  }
}

template <class Real>
void expect_fft(const families::fft::Plan& plan) {
  // One FFT more than a thread block has, so that the last block is incomplete.
  const std::int64_t batch = plan.has_workspace() ? 1 : plan.kernels[0].block.ffts + 1;
  expect_batch<Real>(plan, false, batch);
  expect_batch<Real>(plan, true, batch);
}

std::vector<std::int64_t> good_lengths(std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t n = from; n <= to; ++n)
    if (families::fft::is_good_length(n)) lengths.push_back(n);
  return lengths;
}

TEST(FftOnHost, SinglePrecisionOfEveryLengthTo4096) {
  for (const std::int64_t n : good_lengths(1, 4096)) expect_fft<float>(plan_for<float>(n));
}

TEST(FftOnHost, DoublePrecisionOfEveryLengthTo4096) {
  for (const std::int64_t n : good_lengths(1, 4096)) expect_fft<double>(plan_for<double>(n));
}

TEST(FftOnHost, LengthsTo131072OnEveryArchitecture) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  const std::vector<std::int64_t> lengths = good_lengths(4097, 131072);
  constexpr std::array kArchitectures = {75, 80, 86, 90, 100, 120};
  constexpr std::size_t kCount = 190;
  ASSERT_GT(lengths.size(), kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    if (!is_turn_of(0, i / kArchitectures.size(), 3)) continue;
    const std::int64_t n = lengths[i * (lengths.size() - 1) / (kCount - 1)];
    const int architecture = kArchitectures[i % kArchitectures.size()];
    if (i / kArchitectures.size() % 2 == 0) expect_fft<float>(plan_for<float>(n, architecture));
    else expect_fft<double>(plan_for<double>(n, architecture));
  }
}

TEST(FftOnHost, LongLengths) {
  const Sweep sweep;
  if (sweep.passed_before()) GTEST_SKIP() << Sweep::kPassedBefore;
  // 3^12, 10^6, 13^5 and a length with every prime; two and three kernels.
  for (const std::int64_t n : {131220, 262144, 371293, 531441, 720720, 1000000})
    expect_batch<float>(plan_for<float>(n, 90), n % 2 == 0, 1);
  for (const std::int64_t n : {262144, 900900, 1048576}) expect_batch<double>(plan_for<double>(n, 75), n % 4 == 0, 1);
  expect_batch<float>(plan_for<float>(4194304, 86), false, 1);
}

TEST(FftOnHost, ThreeKernels) {
  families::fft::Choices choices;
  for (const std::vector<std::int64_t>& factors :
       std::vector<std::vector<std::int64_t>>{{16, 32, 64}, {27, 25, 28}, {7, 13, 22}, {64, 2, 48}}) {
    choices.factors = factors;
    const std::int64_t n = factors[0] * factors[1] * factors[2];
    expect_batch<double>(plan_for<double>(n, 90, choices), false, 3);
    expect_batch<float>(plan_for<float>(n, 75, choices), true, 2);
  }
}

TEST(FftOnHost, RealAndImaginaryPartsApart) {
  families::fft::Choices choices;
  choices.splits_complex = true;
  for (const std::int64_t n : {2, 7, 8, 16, 60, 243, 512, 1000, 3072, 4096, 8192}) {
    expect_fft<float>(plan_for<float>(n, 90, choices));
    expect_fft<double>(plan_for<double>(n, 90, choices));
  }
  choices.factors = {128, 120};
  expect_fft<float>(plan_for<float>(128 * 120, 90, choices));
}

TEST(FftOnHost, EveryRadixInEveryPlace) {
  for (int first = 2; first <= graft_fft::kLargestRadix; ++first)
    for (int second = 2; second <= graft_fft::kLargestRadix; ++second) {
      if (!graft_fft::is_radix(first) || !graft_fft::is_radix(second)) continue;
      families::fft::Choices choices;
      choices.radices = {{first, second, first}};
      // For three of the largest, a thread block has too few registers.
      if (first * second * first > 4096) choices.radices = {{first, second}};
      const int length = std::accumulate(choices.radices[0].begin(), choices.radices[0].end(), 1, std::multiplies());
      expect_batch<double>(plan_for<double>(length, 90, choices), false, 2);
    }
}

// ---- FFT, callback, inverse FFT ----

template <class Real>
void expect_filter(const families::fft::Plan& plan) {
  const auto n = static_cast<std::size_t>(plan.length);
  const auto in = random_signal<Real>(2 * n, 8);
  std::vector<graft_fft::Complex<Real>> out(2 * n);
  const auto gain = [](unsigned frequency) { return static_cast<Real>(frequency % 7) - 2; };
  const BatchLayout layout = {1, plan.length};
  fft_on_host<Real>(plan, false, in, layout, out, layout, 2,
                    [&](const graft_fft::Complex<Real>& value, unsigned frequency) {
                      EXPECT_LT(frequency, n);
                      return graft_fft::Complex<Real>{value.re * gain(frequency), value.im * gain(frequency)};
                    });
  for (std::size_t b = 0; b < 2; ++b) {
    const auto begin = static_cast<std::ptrdiff_t>(b * n), end = begin + plan.length;
    std::vector<Wide> spectrum =
        reference_fft(wide(std::vector<graft_fft::Complex<Real>>(in.begin() + begin, in.begin() + end)), -1);
    for (unsigned k = 0; k < n; ++k) spectrum[k] *= static_cast<long double>(gain(k));
    const std::vector<graft_fft::Complex<Real>> found(out.begin() + begin, out.begin() + end);
    ASSERT_LT(rms_error(found, reference_fft(spectrum, 1)), 6) << describe(plan);
  }
}

TEST(FftOnHost, AFilterBetweenAnFftAndItsInverse) {
  for (const std::int64_t n : good_lengths(1, 1500)) {
    expect_filter<float>(*families::fft::make_plan_with_inverse(n, Precision::Single, 90));
    expect_filter<double>(*families::fft::make_plan_with_inverse(n, Precision::Double, 75));
  }
  for (const std::int64_t n : {2048, 3000, 4096, 6561, 8192})
    expect_filter<float>(*families::fft::make_plan_with_inverse(n, Precision::Single, 90));
  families::fft::Choices choices;
  choices.splits_complex = true;
  for (const std::int64_t n : {8, 60, 1000, 4096})
    expect_filter<double>(*families::fft::make_plan_with_inverse(n, Precision::Double, 90, choices));
}

// Two and three factors, with and without incomplete thread blocks.
TEST(FftOnHost, AFilterInSeveralKernels) {
  for (const std::int64_t n : {32768, 50000, 65536, 117649}) {
    expect_filter<float>(*families::fft::make_plan_with_inverse(n, Precision::Single, 90));
    expect_filter<double>(*families::fft::make_plan_with_inverse(n, Precision::Double, 75));
  }
  for (const std::vector<std::int64_t>& factors : {std::vector<std::int64_t>{2, 2},
                                                   {7, 3},
                                                   {16, 16},
                                                   {9, 100},
                                                   {100, 9},
                                                   {64, 81},
                                                   {2, 2, 2},
                                                   {3, 5, 7},
                                                   {16, 16, 16},
                                                   {8, 9, 10},
                                                   {11, 13, 12},
                                                   {50, 20, 4},
                                                   {4, 30, 40}}) {
    families::fft::Choices choices;
    choices.factors = factors;
    const std::int64_t n = std::accumulate(factors.begin(), factors.end(), std::int64_t{1}, std::multiplies<>());
    const auto plan = families::fft::make_plan_with_inverse(n, Precision::Double, 90, choices);
    ASSERT_TRUE(plan) << n;
    EXPECT_EQ(plan->kernels.size(), 2 * factors.size() - 1);
    expect_filter<double>(*plan);
  }
}

// ---- layouts ----

struct Strides {
  BatchLayout in, out;
};

template <class Real>
void expect_strided(const families::fft::Plan& plan, const Strides& strides, std::int64_t batch) {
  const auto at = [](const BatchLayout& layout, std::int64_t b, std::int64_t p) {
    return static_cast<std::size_t>(b * layout.distance + p * layout.stride);
  };
  const std::int64_t n = plan.length;
  const auto in = random_signal<Real>(at(strides.in, batch - 1, n - 1) + 1, 3);
  const graft_fft::Complex<Real> untouched = {77, 78};
  std::vector<graft_fft::Complex<Real>> out(at(strides.out, batch - 1, n - 1) + 1, untouched);
  fft_on_host(plan, false, in, strides.in, out, strides.out, batch);

  std::vector<bool> is_output(out.size());
  for (std::int64_t b = 0; b < batch; ++b) {
    std::vector<graft_fft::Complex<Real>> x, y;
    for (std::int64_t p = 0; p < n; ++p) {
      x.push_back(in[at(strides.in, b, p)]);
      y.push_back(out[at(strides.out, b, p)]);
      is_output[at(strides.out, b, p)] = true;
    }
    ASSERT_LT(rms_error(y, reference_fft(wide(x), -1)), most_error(plan)) << describe(plan);
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool is_untouched = out[i].re == untouched.re && out[i].im == untouched.im;
    ASSERT_TRUE(is_output[i] || is_untouched) << "in the gap at " << i;
  }
}

TEST(FftOnHost, StridesAndDistances) {
  for (const std::int64_t n : {3, 8, 100, 1024, 32768}) {
    const std::int64_t batch = n > 10000 ? 2 : 5;
    // Gaps between points and FFTs; interleaved FFTs (the distance is 1); contiguous to interleaved.
    expect_strided<float>(plan_for<float>(n), {{3, 3 * n + 5}, {2, 2 * n + 1}}, batch);
    expect_strided<double>(plan_for<double>(n), {{batch, 1}, {batch + 1, 1}}, batch);
    expect_strided<float>(plan_for<float>(n), {{1, n}, {batch, 1}}, batch);
  }
}

TEST(FftOnHost, InPlace) {
  for (const std::int64_t n : {7, 16, 1000, 4096, 65536}) {
    const families::fft::Plan plan = plan_for<double>(n);
    const auto x = random_signal<double>(static_cast<std::size_t>(2 * n), 9);
    std::vector<graft_fft::Complex<double>> in_place = x, out(x.size());
    const BatchLayout layout = {1, n};
    fft_on_host(plan, false, x, layout, out, layout, 2);
    fft_on_host(plan, false, in_place, layout, in_place, layout, 2);
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_TRUE(in_place[i].re == out[i].re && in_place[i].im == out[i].im);
  }
}

// ---- properties ----

constexpr std::array<std::int64_t, 9> kSomeLengths = {2, 9, 14, 64, 121, 360, 2048, 3003, 20480};

template <class Real>
std::vector<Wide> transform(const families::fft::Plan& plan, const std::vector<graft_fft::Complex<Real>>& x) {
  return wide(fft_on_host(plan, false, x));
}

long double energy(const std::vector<Wide>& x) {
  long double sum = 0;
  for (const Wide& value : x) sum += std::norm(value);
  return sum;
}

TEST(FftProperties, TheSumOfTwoSignalsHasTheSumOfTheirTransforms) {
  for (const std::int64_t n : kSomeLengths) {
    const families::fft::Plan plan = plan_for<double>(n);
    const auto a = random_signal<double>(static_cast<std::size_t>(n), 1);
    auto b = random_signal<double>(static_cast<std::size_t>(n), 2);
    std::vector<Wide> expected = transform(plan, a);
    const std::vector<Wide> of_b = transform(plan, b);
    for (std::size_t i = 0; i < a.size(); ++i) {
      expected[i] += 3.0L * of_b[i];
      b[i] = {a[i].re + 3 * b[i].re, a[i].im + 3 * b[i].im};
    }
    EXPECT_LT(rms_error(fft_on_host(plan, false, b), expected), 8) << n;
  }
}

TEST(FftProperties, TheTransformHasTheEnergyOfTheSignal) {
  for (const std::int64_t n : kSomeLengths) {
    const auto x = random_signal<double>(static_cast<std::size_t>(n), 4);
    const long double ratio = energy(transform(plan_for<double>(n), x)) / energy(wide(x)) / static_cast<long double>(n);
    EXPECT_NEAR(static_cast<double>(ratio), 1, 1e-14) << n;
  }
}

TEST(FftProperties, AShiftedSignalHasATurnedTransform) {
  for (const std::int64_t n : kSomeLengths) {
    const families::fft::Plan plan = plan_for<double>(n);
    auto x = random_signal<double>(static_cast<std::size_t>(n), 5);
    std::vector<Wide> expected = transform(plan, x);
    const std::int64_t shift = n / 3 + 1;
    std::rotate(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(shift % n), x.end());
    for (std::size_t k = 0; k < x.size(); ++k)
      expected[k] *= std::conj(families::fft::root_of_unity(static_cast<std::int64_t>(k) * shift, n));
    EXPECT_LT(rms_error(fft_on_host(plan, false, x), expected), 8) << n;
  }
}

TEST(FftProperties, TheInverseOfTheTransformIsTheSignalTimesItsLength) {
  for (const std::int64_t n : kSomeLengths) {
    const families::fft::Plan plan = plan_for<float>(n);
    const auto x = random_signal<float>(static_cast<std::size_t>(n), 6);
    std::vector<Wide> expected = wide(x);
    for (Wide& value : expected) value *= static_cast<long double>(n);
    EXPECT_LT(rms_error(fft_on_host(plan, true, fft_on_host(plan, false, x)), expected), 8) << n;
  }
}

TEST(FftProperties, OneSharpPeakTransformsToAWave) {
  // Also fixes the sign: an FFT with the opposite sign passes all properties above.
  for (const std::int64_t n : kSomeLengths) {
    std::vector<graft_fft::Complex<double>> x(static_cast<std::size_t>(n));
    x[1] = {1, 0};
    std::vector<Wide> wave;
    for (std::int64_t k = 0; k < n; ++k) wave.push_back(families::fft::root_of_unity(k, n));
    EXPECT_LT(rms_error(fft_on_host(plan_for<double>(n), false, x), wave), 5) << n;
  }
}

}  // namespace
}  // namespace graft::test
