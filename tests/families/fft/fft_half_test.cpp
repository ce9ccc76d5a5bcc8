// Runs plans of real FFTs on the CPU with numbers, and compares with FFTs in long double.
#include <gmock/gmock.h>

#include "families/fft/fft_on_host.hpp"
#include "families/fft/lengths.hpp"
#include "families/fft/reference.hpp"

namespace graft::test {
namespace {

using families::fft::Half;
using families::fft::Plan;
using families::fft::Precision;
template <class Real>
using Points = std::vector<graft_fft::Complex<Real>>;

template <class Real>
constexpr Precision kPrecision = sizeof(Real) == 4 ? Precision::Single : Precision::Double;

// Real numbers as the complex ones that the kernel takes.
template <class Real>
std::vector<Wide> numbers_of(const Points<Real>& points) {
  std::vector<Wide> numbers;
  for (const auto& point : points) {
    numbers.emplace_back(point.re);
    numbers.emplace_back(point.im);
  }
  return numbers;
}

template <class Real>
Points<Real> run(
    const Plan& plan, Half half, const Points<Real>& in, std::size_t batch,
    const std::function<graft_fft::Complex<Real>(const graft_fft::Complex<Real>&, unsigned)>& between = {}) {
  const std::int64_t n = plan.length;
  typename KernelOnHost<Real>::Arrays arrays;
  Points<Real> out(batch * static_cast<std::size_t>(half == Half::Stored ? n + 1 : n));
  arrays.in = &in;
  arrays.out = &out;
  arrays.in_layout = {1, half == Half::Loaded ? n + 1 : n};
  arrays.out_layout = {1, half == Half::Stored ? n + 1 : n};
  arrays.batch = static_cast<std::int64_t>(batch);
  arrays.swaps_outputs = half != Half::Stored;
  arrays.between = between;
  KernelOnHost<Real>(plan.kernels[0], arrays).run();
  return out;
}

template <class Real>
void expect_half(std::int64_t length, int architecture) {
  const auto n = static_cast<std::size_t>(length);
  const auto plan_of = [&](Half half) {
    return families::fft::make_plan_of_half(length, kPrecision<Real>, Architecture(architecture), half).value();
  };
  const Plan forward = plan_of(Half::Stored), inverse = plan_of(Half::Loaded), filter = plan_of(Half::Between);
  const std::size_t batch = static_cast<std::size_t>(forward.kernels[0].block.ffts) + 1;
  const Points<Real> in = random_signal<Real>(n * batch, 1);
  const Points<Real> spectra = run(forward, Half::Stored, in, batch);
  for (std::size_t b = 0; b < batch; ++b) {
    std::vector<Wide> expected = reference_fft(numbers_of(part(in, b, batch)), -1);
    expected.resize(n + 1);
    ASSERT_LT(rms_error(part(spectra, b, batch), expected), 6) << "forward, " << describe(forward);
  }
  // Imaginary parts of the frequencies 0 and n are ignored.
  const std::size_t loads = static_cast<std::size_t>(inverse.kernels[0].block.ffts) + 1;
  Points<Real> half = random_signal<Real>((n + 1) * loads, 2);
  std::vector<std::vector<Wide>> wanted;
  for (std::size_t b = 0; b < loads; ++b) {
    half[b * (n + 1)].im = half[b * (n + 1) + n].im = std::numeric_limits<Real>::quiet_NaN();
    std::vector<Wide> all(2 * n);
    for (std::size_t k = 0; k <= n; ++k) {
      const auto& value = half[b * (n + 1) + k];
      all[k] = k % n == 0 ? Wide(value.re) : Wide(value.re, value.im);
      if (k % n != 0) all[2 * n - k] = std::conj(all[k]);
    }
    wanted.push_back(reference_fft(all, 1));
  }
  const Points<Real> numbers = run(inverse, Half::Loaded, half, loads);
  for (std::size_t b = 0; b < loads; ++b) {
    const std::vector<Wide> found = numbers_of(part(numbers, b, loads));
    Points<Real> reals;
    for (const Wide& value : found) reals.push_back({static_cast<Real>(value.real()), 0});
    ASSERT_LT(rms_error(reals, wanted[b]), 6) << "inverse, " << describe(inverse);
  }
  // Each stored frequency is given to the callback once.
  const std::size_t filtered = static_cast<std::size_t>(filter.kernels[0].block.ffts) + 1;
  const Points<Real> signal = random_signal<Real>(n * filtered, 3);
  std::vector<int> calls(n + 1);
  const auto factor = [](std::size_t k) { return static_cast<Real>(1 + k * 7919 % 13); };
  const Points<Real> smooth =
      run<Real>(filter, Half::Between, signal, filtered, [&](const graft_fft::Complex<Real>& value, unsigned k) {
        ++calls.at(k);
        return graft_fft::Complex<Real>{value.re * factor(k), value.im * factor(k)};
      });
  for (const int of_frequency : calls) ASSERT_EQ(of_frequency, calls[0]) << describe(filter);
  for (std::size_t b = 0; b < filtered; ++b) {
    std::vector<Wide> all = reference_fft(numbers_of(part(signal, b, filtered)), -1);
    for (std::size_t k = 0; k < 2 * n; ++k) all[k] *= factor(std::min(k, 2 * n - k));
    all = reference_fft(all, 1);
    Points<Real> reals;
    for (const Wide& value : numbers_of(part(smooth, b, filtered)))
      reals.push_back({static_cast<Real>(value.real()), 0});
    ASSERT_LT(rms_error(reals, all), 10) << "filter, " << describe(filter);
  }
}

// Two butterflies of a prime from 17 on have too many points for a thread.
bool has_large_primes_only(std::int64_t n) {
  return n > 1 && n % 2 != 0 && n % 3 != 0 && n % 5 != 0 && n % 7 != 0 && n % 11 != 0 && n % 13 != 0;
}

TEST(FftHalf, IsTheFftOfRealNumbers) {
  int round = 0;
  for (std::int64_t n = 1; n <= 1050; n = *families::fft::good_length_above(n))
    if (has_large_primes_only(n)) continue;
    else if (++round % 2 == 0) ASSERT_NO_FATAL_FAILURE(expect_half<float>(n, round % 3 == 0 ? 75 : 90)) << n;
    else ASSERT_NO_FATAL_FAILURE(expect_half<double>(n, round % 3 == 0 ? 120 : 80)) << n;
  for (const std::int64_t n : {2048, 4096, 5000, 8192}) ASSERT_NO_FATAL_FAILURE(expect_half<float>(n, 90)) << n;
}

}  // namespace
}  // namespace graft::test
