// Runs the ready-made callbacks for spectra in FFTs on the host: filters, convolution, phase correlation, decibels.
#include "tests/callbacks/fft_callbacks.hpp"

namespace graft::test {
namespace {

template <class T>
class FftSpectra : public testing::Test {};
TYPED_TEST_SUITE(FftSpectra, Reals);

// A linear convolution by its definition.
template <class T>
std::vector<Wide> convolved(const std::vector<T>& rows, std::size_t row, const std::vector<T>& weights) {
  std::vector<Wide> all;
  for (std::size_t begin = 0; begin < rows.size(); begin += row)
    for (std::size_t n = 0; n < row + weights.size() - 1; ++n) {
      Wide sum = 0;
      for (std::size_t m = 0; m < weights.size(); ++m)
        if (m <= n && n - m < row) sum += Wide(rows[begin + n - m]) * Wide(weights[m]);
      all.push_back(sum);
    }
  return all;
}

// The spectrum of weights that are filled up with zeros.
template <class T>
std::vector<std::complex<T>> spectrum_of(const std::vector<T>& weights, std::size_t length) {
  std::vector<Wide> points(weights.begin(), weights.end());
  points.resize(length);
  std::vector<std::complex<T>> spectrum;
  for (const Wide value : reference_fft(points, -1))
    spectrum.emplace_back(static_cast<T>(value.real()), static_cast<T>(value.imag()));
  return spectrum;
}

TYPED_TEST(FftSpectra, LinearConvolutionInOneKernel) {
  using T = TypeParam;
  struct Case {
    unsigned row, weights, length;
  };
  for (const auto [row, count, length] : {Case{1, 1, 1}, Case{20, 9, 28}, Case{50, 41, 100}}) {
    const Fft fft = fft_on_host<T>(length, {.load = ready<T>("fft", "load_real_rows<{}>"),
                                            .between = ready<T>("fft", "filter_spectrum<{0}, graft::complex<{0}>>"),
                                            .store = ready<T>("fft", "store_real_rows<{}>")});
    const std::vector<T> rows = random_numbers<T>(std::size_t(3) * row, 3), weights = random_numbers<T>(count, 4);
    const std::vector<std::complex<T>> spectrum = spectrum_of(weights, length);
    own::Rows in = {length, row}, out = {length, row + count - 1};
    std::vector<T> found(std::size_t(3) * out.count);
    fft.execute(host, rows, found, Direction::Forward,
                {.batch = 3,
                 .state = own::Filter<std::complex<T>>{spectrum.data(), length},
                 .info = {.load = &in, .store = &out}});
    EXPECT_LT(rms_in_roundings(found, convolved(rows, row, weights)), 12) << length;
  }
}

// The store keeps the first results of each row. What is behind them keeps its values.
TYPED_TEST(FftSpectra, RealWeightsAndFirstResults) {
  using T = TypeParam;
  constexpr unsigned kLength = 30, kCount = 7;
  struct State {
    own::Filter<T> between;
    own::Rows store;
  };
  const Fft fft =
      fft_on_host<T>(kLength, {.between = ready<T>("fft", "filter_spectrum<{0}, {0}>"),
                               .store = chain(ready<T>("fft", "real_part<{}>"), ready<T>("fft", "keep_first<{}>"))});
  const std::vector<std::complex<T>> in = random_points<T>(2 * kLength, 5);
  const std::vector<T> weights = random_numbers<T>(kLength, 6);
  std::vector<T> found(in.size(), T(77)), kept;
  fft.execute(host, in, found, Direction::Forward, {.state = State{{weights.data(), kLength}, {kLength, kCount}}});

  std::vector<Wide> expected;
  for (std::size_t b = 0; b < 2; ++b) {
    std::vector<Wide> row(in.begin() + static_cast<std::ptrdiff_t>(b * kLength), in.end());
    row.resize(kLength);
    row = reference_fft(row, -1);
    for (std::size_t k = 0; k < kLength; ++k) row[k] *= static_cast<long double>(weights[k]) / kLength;
    row = reference_fft(row, 1);
    for (std::size_t p = 0; p < kCount; ++p) expected.emplace_back(row[p].real());
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    if (i % kLength < kCount) kept.push_back(found[i]);
    else EXPECT_EQ(found[i], T(77)) << i;
  EXPECT_LT(rms_in_roundings(kept, expected), 12);
}

// Complex results without gaps, and a filter that leaves everything as it is.
TYPED_TEST(FftSpectra, FirstResultsWithoutGaps) {
  using T = TypeParam;
  constexpr unsigned kLength = 9, kCount = 4;
  const Fft fft = fft_on_host<T>(kLength, {.store = ready<T>("fft", "store_rows<{}>")});
  const std::vector<std::complex<T>> in = random_points<T>(3 * kLength, 7);
  own::Rows kept = {kLength, kCount};
  std::vector<std::complex<T>> found(std::size_t(3) * kCount);
  fft.execute(host, in, found, Direction::Forward, {.batch = 3, .info = {.store = &kept}});
  const std::vector<Wide> all = ffts_of({in.begin(), in.end()}, kLength);
  std::vector<Wide> expected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % kLength < kCount) expected.push_back(all[i]);
  EXPECT_LT(rms_in_roundings(found, expected), 8);
}

// The first numbers of real FFTs: of the filter between, the weights are those of the frequencies that are there.
TYPED_TEST(FftSpectra, FirstNumbersWithoutGaps) {
  using T = TypeParam;
  constexpr unsigned kLength = 10, kCount = 4;
  const std::vector<T> ones(kLength / 2 + 1, T(1));
  const Fft fft = fft_on_host<T>(
      kLength,
      {.between = ready<T>("fft", "filter_spectrum<{0}, {0}>"), .store = ready<T>("fft", "store_number_rows<{}>")},
      FftKind::Real);
  const std::vector<T> in = random_numbers<T>(3 * kLength, 7);
  own::Rows kept = {kLength, kCount};
  std::vector<T> found(std::size_t(3) * kCount);
  fft.execute(host, in, found, Direction::Forward,
              {.batch = 3, .state = own::Filter<T>{ones.data(), kLength / 2 + 1}, .info = {.store = &kept}});
  std::vector<Wide> expected;
  for (std::size_t i = 0; i < in.size(); ++i)
    if (i % kLength < kCount) expected.push_back(Wide(in[i]));
  EXPECT_LT(rms_in_roundings(found, expected), 8);
}

// Four frequencies of the nine of each real FFT: the length is theirs.
TYPED_TEST(FftSpectra, FirstFrequenciesOfRealFfts) {
  using T = TypeParam;
  constexpr unsigned kLength = 16, kKept = kLength / 2 + 1, kCount = 4;
  const Fft fft = fft_on_host<T>(kLength, {.store = ready<T>("fft", "store_rows<{}>")}, FftKind::Real);
  const std::vector<T> in = random_numbers<T>(3 * kLength, 7);
  own::Rows kept = {kKept, kCount};
  std::vector<std::complex<T>> found(std::size_t(3) * kCount);
  fft.execute(host, in, found, Direction::Forward, {.batch = 3, .info = {.store = &kept}});
  const std::vector<Wide> all = ffts_of({in.begin(), in.end()}, kLength);
  std::vector<Wide> expected;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i % kLength < kCount) expected.push_back(all[i]);
  EXPECT_LT(rms_in_roundings(found, expected), 8);
}

// Each row is the same signal, shifted by another number of points.
TYPED_TEST(FftSpectra, PhaseCorrelationFindsShifts) {
  using T = TypeParam;
  constexpr unsigned kLength = 50;
  constexpr unsigned kShifts[] = {0, 1, 17, 49};
  const Fft fft = fft_on_host<T>(
      kLength, {.between = ready<T>("fft", "phase_correlate<{}>"), .store = ready<T>("fft", "real_part<{}>")});
  const std::vector<T> signal = random_numbers<T>(kLength, 8);
  std::vector<std::complex<T>> rows;
  for (const unsigned shift : kShifts)
    for (unsigned p = 0; p < kLength; ++p) rows.emplace_back(3 * signal[(p + kLength - shift) % kLength]);
  const std::vector<std::complex<T>> spectrum = spectrum_of(signal, kLength);
  std::vector<T> found(rows.size());
  fft.execute(host, rows, found, Direction::Forward, {.state = own::Filter<std::complex<T>>{spectrum.data(), kLength}});
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], i % kLength == kShifts[i / kLength] ? 1 : 0, 100 * std::numeric_limits<T>::epsilon()) << i;
}

// The other spectrum is an array: a pair of rows for each FFT of the batch.
TYPED_TEST(FftSpectra, CrossPhaseOfTwoArrays) {
  using T = TypeParam;
  constexpr unsigned kLength = 21;
  const Fft fft = fft_on_host<T>(kLength, {.store = ready<T>("fft", "cross_phase<{}>")});
  std::vector<std::complex<T>> in = random_points<T>(2 * kLength, 9), other = random_points<T>(2 * kLength, 10);
  other[3] = 0;
  std::vector<std::complex<T>> found(in.size());
  fft.execute(host, host_inputs(in, other), found);
  std::vector<Wide> expected = ffts_of({in.begin(), in.end()}, kLength);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Wide product = expected[i] * std::conj(Wide(other[i]));
    expected[i] = i == 3 ? 0 : product / std::abs(product);
  }
  EXPECT_EQ(found[3], std::complex<T>(0));
  EXPECT_LT(rms_in_roundings(found, expected), 20);
}

// Overlap-save: a long signal is filtered in frames, of whose results the first are left out.
TYPED_TEST(FftSpectra, OverlapSaveFiltersALongSignal) {
  using T = TypeParam;
  constexpr unsigned kLength = 30, kWeights = 7, kUseful = kLength - kWeights + 1, kFrames = 4;
  const std::vector<T> weights = random_numbers<T>(kWeights, 14);
  const std::vector<T> signal = random_numbers<T>(kFrames * kUseful + kWeights - 1, 15);
  const std::vector<std::complex<T>> spectrum = spectrum_of(weights, kLength);
  std::vector<Wide> expected;
  for (std::size_t n = kWeights - 1; n < signal.size(); ++n) {
    Wide sum = 0;
    for (std::size_t m = 0; m < kWeights; ++m) sum += Wide(signal[n - m]) * Wide(weights[m]);
    expected.push_back(sum);
  }
  own::Rows rows = {kLength, kUseful};
  const FftLaunch launch = {.batch = kFrames,
                            .in = {.distance = kUseful},
                            .state = own::Filter<std::complex<T>>{spectrum.data(), kLength},
                            .info = {.store = &rows}};
  const Callback filter = ready<T>("fft", "filter_spectrum<{0}, graft::complex<{0}>>");
  const std::vector<std::complex<T>> points(signal.begin(), signal.end());
  std::vector<std::complex<T>> filtered(kFrames * kUseful);
  fft_on_host<T>(kLength, {.between = filter, .store = ready<T>("fft", "store_after<{}>")})
      .execute(host, points, filtered, Direction::Forward, launch);
  EXPECT_LT(rms_in_roundings(filtered, expected), 12);
  std::vector<T> parts(filtered.size());
  fft_on_host<T>(kLength, {.between = filter, .store = ready<T>("fft", "store_real_after<{}>")})
      .execute(host, points, parts, Direction::Forward, launch);
  EXPECT_LT(rms_in_roundings(parts, expected), 12);
  Options options;
  options.routes.required = Route::Host;
  std::vector<T> numbers(filtered.size());
  Fft::create({.length = kLength,
               .precision = precision_of<T>(),
               .directions = FftDirections::Forward,
               .scaling = FftScaling::ByLength,
               .kind = FftKind::Real},
              {.between = filter, .store = ready<T>("fft", "store_numbers_after<{}>")}, options)
      .execute(host, signal, numbers, Direction::Forward, launch);
  EXPECT_LT(rms_in_roundings(numbers, expected), 12);
}

TYPED_TEST(FftSpectra, CrossCorrelation) {
  using T = TypeParam;
  constexpr unsigned kLength = 45;
  const std::vector<std::complex<T>> x = random_points<T>(2 * kLength, 16), y = random_points<T>(kLength, 17);
  std::vector<std::complex<T>> spectrum;
  for (const Wide value : ffts_of({y.begin(), y.end()}, kLength))
    spectrum.emplace_back(static_cast<T>(value.real()), static_cast<T>(value.imag()));
  std::vector<Wide> expected;
  for (unsigned b = 0; b < 2; ++b)
    for (unsigned m = 0; m < kLength; ++m) {
      Wide sum = 0;
      for (unsigned n = 0; n < kLength; ++n) sum += Wide(x[b * kLength + (n + m) % kLength]) * std::conj(Wide(y[n]));
      expected.push_back(sum);
    }
  std::vector<std::complex<T>> found(x.size());
  fft_on_host<T>(kLength, {.between = ready<T>("fft", "correlate<{}>")})
      .execute(host, x, found, Direction::Forward, {.state = own::Filter<std::complex<T>>{spectrum.data(), kLength}});
  EXPECT_LT(rms_in_roundings(found, expected), 12);
  const std::vector<std::complex<T>> other = random_points<T>(x.size(), 18);
  fft_on_host<T>(kLength, {.store = ready<T>("fft", "cross_power<{}>")}).execute(host, host_inputs(x, other), found);
  expected = ffts_of({x.begin(), x.end()}, kLength);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] *= std::conj(Wide(other[i]));
  EXPECT_LT(rms_in_roundings(found, expected), 8);
}

// Welch's method: the spectra of overlapping frames are added up in place, a call for each frame of all channels.
TYPED_TEST(FftSpectra, PowersOfOverlappingFramesAddUp) {
  using T = TypeParam;
  constexpr unsigned kLength = 20, kHop = 10, kFrames = 3, kChannel = kLength + (kFrames - 1) * kHop;
  const Fft fft = fft_on_host<T>(kLength, {.store = ready<T>("fft", "add_power<{}>")});
  const std::vector<std::complex<T>> channels = random_points<T>(2 * kChannel, 19);
  std::vector<T> sums(2 * kLength);
  std::vector<Wide> expected(sums.size());
  for (unsigned frame = 0; frame < kFrames; ++frame) {
    const std::span<const std::complex<T>> from(channels.data() + frame * kHop, channels.size() - frame * kHop);
    fft.execute(host, host_inputs(from, sums), sums, Direction::Forward, {.batch = 2, .in = {.distance = kChannel}});
    for (unsigned b = 0; b < 2; ++b) {
      const auto begin = from.begin() + b * kChannel;
      const std::vector<Wide> spectrum = ffts_of({begin, begin + kLength}, kLength);
      for (unsigned k = 0; k < kLength; ++k) expected[b * kLength + k] += std::norm(spectrum[k]);
    }
  }
  EXPECT_LT(rms_in_roundings(sums, expected), 8);
}

// The bounds that fft.cuh states, for callbacks as transforms. u is half of epsilon.
TYPED_TEST(FftSpectra, ErrorsAreWithinTheirBounds) {
  using T = TypeParam;
  constexpr long double u = std::numeric_limits<T>::epsilon() / 2;
  const std::vector<std::complex<T>> x = random_points<T>(20000, 12), y = random_points<T>(20000, 13);
  std::vector<std::complex<T>> phases(x.size());
  transform_on_host(ready<T>("fft", "cross_phase<{}>")).execute(host, host_inputs(x, y), phases);
  const own::Decibels<T> state = {T(0.3), T(-200)};
  std::vector<T> decibels(x.size());
  transform_on_host(ready<T>("fft", "power_in_decibels<{}>")).execute(host, x, decibels, state);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Wide product = Wide(x[i]) * std::conj(Wide(y[i]));
    ASSERT_LE(std::abs(Wide(phases[i]) - product / std::abs(product)), 10 * u) << i;
    const long double wanted = 10 * std::log10(std::norm(Wide(x[i])) * static_cast<long double>(state.scale));
    ASSERT_LE(std::abs(static_cast<long double>(decibels[i]) - wanted), 8 * u * std::abs(wanted) + 14 * u) << i;
  }
}

// The first row is zero, and so are its powers.
TYPED_TEST(FftSpectra, Decibels) {
  using T = TypeParam;
  constexpr unsigned kLength = 24;
  const own::Decibels<T> state = {T(1.0 / kLength), T(-100)};
  std::vector<std::complex<T>> in = random_points<T>(3 * kLength, 11);
  std::fill_n(in.begin(), kLength, 0);
  const std::vector<Wide> spectrum = ffts_of({in.begin(), in.end()}, kLength);
  for (const Callback& store :
       {ready<T>("fft", "power_in_decibels<{}>"),
        chain(ready<T>("complex", "squared_magnitude<{}>"), ready<T>("fft", "to_decibels<{}>"))}) {
    std::vector<T> found(in.size());
    fft_on_host<T>(kLength, {.store = store}).execute(host, in, found, Direction::Forward, {.state = state});
    for (std::size_t i = 0; i < found.size(); ++i)
      EXPECT_NEAR(found[i], i < kLength ? -100 : static_cast<double>(10 * std::log10(std::norm(spectrum[i]) / kLength)),
                  1000 * std::numeric_limits<T>::epsilon())
          << i;
  }
}

}  // namespace
}  // namespace graft::test
