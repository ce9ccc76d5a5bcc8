// What the tests of callbacks/fft.cuh share: ready-made callbacks by name, forward FFTs on the host, and comparisons
// with FFTs in long double.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "families/fft/fft_test.hpp"
#include "graft/graft.hpp"
#include "tests/callbacks/families.hpp"

namespace graft::test {

namespace own = graft::callbacks;

using Reals = testing::Types<float, double>;

// The function `entry` of callbacks/<file>.cuh, in which {} stands for T.
template <class T>
Callback ready(std::string_view file, std::string_view entry) {
  return Callback::file(fmt::format("{}/callbacks/{}.cuh", GRAFT_SOURCE_DIR, file))
      .with_entry("graft::callbacks::" + fmt::format(fmt::runtime(entry), sizeof(T) == 4 ? "float" : "double"));
}

template <class T>
Fft fft_on_host(std::int64_t length, const FftCallbacks& callbacks, FftKind kind = FftKind::Complex) {
  Options options;
  options.routes.required = Route::Host;
  return Fft::create({.length = length,
                      .precision = precision_of<T>(),
                      .directions = FftDirections::Forward,
                      .scaling = FftScaling::ByLength,
                      .kind = kind},
                     callbacks, options);
}

// The callback as a transform on the host.
inline Transform transform_on_host(const Callback& callback) {
  Options options;
  options.routes.required = Route::Host;
  return Transform::create(callback, options);
}

template <class T>
std::vector<std::complex<T>> random_points(std::size_t count, unsigned seed) {
  std::vector<std::complex<T>> points;
  for (const auto& value : random_signal<T>(count, seed)) points.emplace_back(value.re, value.im);
  return points;
}

// The real parts of random points.
template <class T>
std::vector<T> random_numbers(std::size_t count, unsigned seed) {
  std::vector<T> numbers;
  for (const auto& value : random_signal<T>(count, seed)) numbers.push_back(value.re);
  return numbers;
}

// The FFTs of a batch of rows of `length` points, which stand one after another.
inline std::vector<Wide> ffts_of(const std::vector<Wide>& rows, std::size_t length) {
  std::vector<Wide> all;
  for (auto row = rows.begin(); row != rows.end(); row += static_cast<std::ptrdiff_t>(length))
    for (const Wide value : reference_fft({row, row + static_cast<std::ptrdiff_t>(length)}, -1)) all.push_back(value);
  return all;
}

// The root mean square of the differences, relative to that of `expected`, in units of T's rounding error.
template <class Found>
double rms_in_roundings(const std::vector<Found>& found, const std::vector<Wide>& expected) {
  using T = decltype(std::real(Found()));
  EXPECT_EQ(found.size(), expected.size());
  std::vector<graft_fft::Complex<T>> points;
  for (const Found value : found) points.push_back({std::real(value), std::imag(value)});
  return rms_error(points, expected);
}

}  // namespace graft::test
