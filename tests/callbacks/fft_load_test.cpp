// Runs the ready-made load callbacks in FFTs on the host: conversions of samples, windows, and rows filled up with
// zeros.
#include "tests/callbacks/fft_callbacks.hpp"

namespace graft::test {
namespace {

template <class T>
class FftLoads : public testing::Test {};
TYPED_TEST_SUITE(FftLoads, Reals);

long double hann(std::size_t p, std::size_t n) {
  return n == 1 ? 1 : 0.5L - 0.5L * std::cos(2 * M_PIl * static_cast<long double>(p) / static_cast<long double>(n));
}

TYPED_TEST(FftLoads, WindowedSamplesOf16Bits) {
  using T = TypeParam;
  for (const unsigned n : {1U, 12U, 45U}) {
    const Fft fft =
        fft_on_host<T>(n, {.load = chain(ready<T>("fft", "int16_to_real<{}>"), ready<T>("windows", "hann<{}>"),
                                         ready<T>("fft", "real_to_complex<{}>"))});
    std::vector<short> samples;
    std::vector<Wide> windowed;
    for (std::size_t i = 0; i < 3 * n; ++i) {
      samples.push_back(static_cast<short>(static_cast<int>(i * 9973 % 65536) - 32768));
      windowed.emplace_back(samples[i] / 32768.0L * hann(i % n, n));
    }
    std::vector<std::complex<T>> found(samples.size());
    fft.execute(host, samples, found, Direction::Forward, {.state = own::Window{n, 1}});
    EXPECT_LT(rms_in_roundings(found, ffts_of(windowed, n)), 8) << n;
  }
}

TYPED_TEST(FftLoads, WindowedComplexSamplesOf16Bits) {
  using T = TypeParam;
  constexpr unsigned kLength = 40;
  constexpr double kBeta = 9;
  const Fft fft = fft_on_host<T>(kLength, {.load = chain(ready<T>("fft", "iq16_to_complex<{}>"),
                                                         ready<T>("windows", "kaiser<graft::complex<{}>>"))});
  std::vector<own::Iq16> samples;
  std::vector<Wide> windowed;
  for (int i = 0; i < 2 * static_cast<int>(kLength); ++i) {
    samples.push_back({static_cast<short>(i * 37 % 1000), static_cast<short>(-i * 91 % 3000)});
    const long double t = 2.0L * (i % static_cast<int>(kLength)) / (kLength - 1) - 1;
    const long double weight = std::cyl_bessel_i(0.0L, kBeta * std::sqrt(1 - t * t)) / std::cyl_bessel_i(0.0L, 9.0L);
    windowed.push_back(Wide(samples.back().in_phase, samples.back().quadrature) * (weight / 32768));
  }
  std::vector<std::complex<T>> found(samples.size());
  const own::Kaiser<T> state = {kLength, 0, T(kBeta), static_cast<T>(1 / std::cyl_bessel_i(0.0L, 9.0L))};
  fft.execute(host, samples, found, Direction::Forward, {.state = state});
  EXPECT_LT(rms_in_roundings(found, ffts_of(windowed, kLength)), 12);
}

// The samples that a load callback makes of an array, with FFTs of one point.
template <class T, class Sample>
std::vector<std::complex<T>> loaded(const char* entry, const std::vector<Sample>& samples, bool is_real) {
  const Callback load = ready<T>("fft", entry);
  const Fft fft = fft_on_host<T>(1, {.load = is_real ? chain(load, ready<T>("fft", "real_to_complex<{}>")) : load});
  std::vector<std::complex<T>> found(samples.size());
  fft.execute(host, samples, found);
  return found;
}

TYPED_TEST(FftLoads, SamplesOf8BitsAndInOffsetBinary) {
  using T = TypeParam;
  using Points = std::vector<std::complex<T>>;
  EXPECT_EQ(loaded<T>("int8_to_real<{}>", std::vector<signed char>{-128, -1, 0, 127}, true),
            (Points{-1, T(-1) / 128, 0, T(127) / 128}));
  EXPECT_EQ(loaded<T>("uint8_to_real<{}>", std::vector<unsigned char>{0, 127, 128, 255}, true),
            (Points{-1, T(-1) / 128, 0, T(127) / 128}));
  EXPECT_EQ(loaded<T>("uint16_to_real<{}>", std::vector<unsigned short>{0, 32767, 32768, 65535}, true),
            (Points{-1, T(-1) / 32768, 0, T(32767) / 32768}));
  EXPECT_EQ(loaded<T>("iq8_to_complex<{}>", std::vector<own::Iq8>{{-128, 127}, {1, -1}}, false),
            (Points{{-1, T(127) / 128}, {T(1) / 128, T(-1) / 128}}));
  EXPECT_EQ(loaded<T>("offset_iq8_to_complex<{}>", std::vector<own::OffsetIq8>{{0, 255}, {129, 127}}, false),
            (Points{{-1, T(127) / 128}, {T(1) / 128, T(-1) / 128}}));
  EXPECT_EQ(loaded<T>("iq4_to_complex<{}>", std::vector<unsigned char>{0x78, 0xf1}, false),
            (Points{{-1, T(7) / 8}, {T(1) / 8, T(-1) / 8}}));
  EXPECT_EQ(loaded<T>("offset_iq4_to_complex<{}>", std::vector<unsigned char>{0xf0, 0x79}, false),
            (Points{{-1, T(7) / 8}, {T(1) / 8, T(-1) / 8}}));
}

// All values of a sample, also in an odd number.
TYPED_TEST(FftLoads, PackedSamples) {
  using T = TypeParam;
  for (const auto& [entry, width] : {std::pair("load_packed_12<{}>", 12), std::pair("load_packed_4<{}>", 4)}) {
    const int count = (1 << width) + 1, half = 1 << (width - 1);
    std::vector<std::complex<T>> wanted, found(static_cast<std::size_t>(count));
    std::vector<unsigned char> bytes(static_cast<std::size_t>((count * width + 7) / 8));
    for (int i = 0; i < count; ++i) {
      const int value = i * 5 % (2 * half) - half;
      wanted.emplace_back(static_cast<T>(value) / static_cast<T>(half));
      for (int bit = 0; bit < width; ++bit) {
        const int at = i * width + bit;
        bytes[static_cast<std::size_t>(at / 8)] |= static_cast<unsigned char>((value >> bit & 1) << (at % 8));
      }
    }
    fft_on_host<T>(1, {.load = ready<T>("fft", entry)})
        .execute(host, bytes, found, Direction::Forward, {.batch = static_cast<std::size_t>(count)});
    EXPECT_EQ(found, wanted) << entry;
    // A real FFT of one number is that number.
    std::vector<std::complex<T>> spectra(found.size());
    const std::string of_numbers = base::format("load_packed_numbers_{}<{{}}>", width);
    fft_on_host<T>(1, {.load = ready<T>("fft", of_numbers.c_str())}, FftKind::Real)
        .execute(host, bytes, spectra, Direction::Forward, {.batch = static_cast<std::size_t>(count)});
    EXPECT_EQ(spectra, wanted) << of_numbers;
  }
}

// Rows of 10 elements become FFTs of 16 points.
constexpr unsigned kLength = 16, kCount = 10;
constexpr std::size_t kRows = 3;

template <class E>
std::vector<Wide> padded(const std::vector<E>& rows) {
  std::vector<Wide> all;
  for (std::size_t b = 0; b < kRows; ++b)
    for (std::size_t p = 0; p < kLength; ++p) all.push_back(p < kCount ? Wide(rows[b * kCount + p]) : Wide(0));
  return all;
}

// Only behind the last row, the array has more elements, whose values must not matter.
TYPED_TEST(FftLoads, RowsFilledUpWithZeros) {
  using T = TypeParam;
  const Fft fft = fft_on_host<T>(
      kLength, {.load = chain(ready<T>("fft", "zero_padded<{}>"), ready<T>("fft", "real_to_complex<{}>"))});
  std::vector<T> rows = random_numbers<T>(kRows * kCount, 1);
  rows.resize(rows.size() + kLength - kCount, std::numeric_limits<T>::quiet_NaN());
  std::vector<std::complex<T>> found(kRows * kLength);
  fft.execute(host, rows, found, Direction::Forward,
              {.batch = kRows, .in = {.distance = kCount}, .state = own::Rows{kLength, kCount}});
  EXPECT_LT(rms_in_roundings(found, ffts_of(padded(rows), kLength)), 8);
}

TYPED_TEST(FftLoads, RowsWithoutPadding) {
  using T = TypeParam;
  own::Rows info = {kLength, kCount};
  const auto expect = [&](const char* entry, const auto& rows) {
    std::vector<std::complex<T>> found(kRows * kLength);
    fft_on_host<T>(kLength, {.load = ready<T>("fft", entry)})
        .execute(host, rows, found, Direction::Forward, {.batch = kRows, .info = {.load = &info}});
    EXPECT_LT(rms_in_roundings(found, ffts_of(padded(rows), kLength)), 8) << entry;
  };
  expect("load_rows<{}>", random_points<T>(kRows * kCount, 2));
  expect("load_real_rows<{}>", random_numbers<T>(kRows * kCount, 2));

  // A real FFT makes the first half of the spectrum.
  const std::vector<T> rows = random_numbers<T>(kRows * kCount, 2);
  constexpr std::size_t kKept = kLength / 2 + 1;
  std::vector<std::complex<T>> found(kRows * kKept);
  fft_on_host<T>(kLength, {.load = ready<T>("fft", "load_number_rows<{}>")}, FftKind::Real)
      .execute(host, rows, found, Direction::Forward, {.batch = kRows, .info = {.load = &info}});
  const std::vector<Wide> whole = ffts_of(padded(rows), kLength);
  std::vector<Wide> expected;
  for (std::size_t b = 0; b < kRows; ++b)
    for (std::size_t k = 0; k < kKept; ++k) expected.push_back(whole[b * kLength + k]);
  EXPECT_LT(rms_in_roundings(found, expected), 8);
}

}  // namespace
}  // namespace graft::test
