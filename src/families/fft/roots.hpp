// The table of roots of unity that a kernel reads (graft_fft::Pass::roots and graft_fft::Turn say what is where in it).
// Every entry is the nearest number of its type, because the roots' errors would add to those of the FFT. Behind the
// roots are the chirp and its spectrum (Chirp).
//
// The inverse FFT of a convolution has the same kernels, with the conjugated chirp: their table follows that of the
// forward FFT.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>
#include <vector>

#include "families/fft/plan.hpp"
#include "fft/complex.h"

namespace graft::families::fft {

// Returns exp(-2 pi i numerator/denominator).
inline std::complex<long double> root_of_unity(std::int64_t numerator, std::int64_t denominator) {
  // Within an eighth of a turn, sine and cosine are most exact. The reduction to it is exact, with integers.
  numerator %= denominator;
  const std::int64_t quarter = (4 * numerator + denominator / 2) / denominator;
  const long double angle = std::numbers::pi_v<long double> / 2 *
                            static_cast<long double>(4 * numerator - quarter * denominator) /
                            static_cast<long double>(denominator);
  const long double c = std::cos(angle), s = std::sin(angle);
  switch (quarter % 4) {
    case 0:
      return {c, -s};
    case 1:
      return {-s, -c};
    case 2:
      return {-c, s};
    default:
      return {s, c};
  }
}

// Returns the FFT of the conjugated chirp of `points` points, divided by its number of points, `length`: a good length
// of at least 2 * points - 1.
std::vector<std::complex<long double>> spectrum_of_chirp(std::int64_t points, std::int64_t length);

template <class Real>
void append_roots(const Kernel& kernel, std::vector<graft_fft::Complex<Real>>& table) {
  const auto add = [&](std::int64_t numerator, std::int64_t denominator) {
    const std::complex<long double> root = root_of_unity(numerator, denominator);
    table.push_back({static_cast<Real>(root.real()), static_cast<Real>(root.imag())});
  };
  const graft_fft::BlockPlan& block = kernel.block;
  for (int i = 0; i < block.pass_count; ++i) {
    const graft_fft::Pass& pass = block.passes[i];
    // Passes of an inverse share the roots of passes with the same radix behind as many points.
    const int done = pass.done / pass.inner;
    if (done == 1 || pass.roots != static_cast<int>(table.size())) continue;
    for (int power = 1; power < pass.radix; power *= 2)
      for (int q = 0; q < done; ++q) add(std::int64_t{q} * power, std::int64_t{done} * pass.radix);
  }
  if (block.has_half())
    for (int k = 0; k < block.length; ++k) add(k, 2 * std::int64_t{block.length});
  if (block.turn.modulus > 0) {
    for (int low = 0; low < block.turn.low_count; ++low) add(low, block.turn.modulus);
    for (std::int64_t high = 0; high < block.turn.high_count; ++high)
      add(high * block.turn.low_count, block.turn.modulus);
  }
}

// The points of the chirp and the frequencies of its spectrum that a kernel reads.
struct ChirpValues {
  std::vector<std::complex<long double>> points, spectrum;
};

ChirpValues values_of(const Chirp& chirp);

// Appends the chirp, and its spectrum times `scale`; of an inverse FFT, their conjugates.
template <class Real>
void append_chirp(const ChirpValues& values, bool is_inverse, long double scale,
                  std::vector<graft_fft::Complex<Real>>& table) {
  const auto add = [&](std::complex<long double> value) {
    if (is_inverse) value = std::conj(value);
    table.push_back({static_cast<Real>(value.real()), static_cast<Real>(value.imag())});
  };
  for (const std::complex<long double>& point : values.points) add(point);
  for (const std::complex<long double>& frequency : values.spectrum) add(frequency * scale);
}

template <class Real>
std::vector<graft_fft::Complex<Real>> roots_of(const Kernel& kernel) {
  std::vector<graft_fft::Complex<Real>> table;
  table.reserve(static_cast<std::size_t>(kernel.root_count));
  append_roots(kernel, table);
  append_chirp(values_of(kernel.chirp), false, 1, table);
  for (const Kernel& second : kernel.second) append_roots(second, table);
  return table;
}

// Returns the tables of a convolution's kernel for the forward and for the inverse FFT, one behind the other. The FFTs'
// results are multiplied by `forward` and `inverse`.
template <class Real>
std::vector<graft_fft::Complex<Real>> roots_of_both_directions(const Kernel& kernel, long double forward,
                                                               long double inverse) {
  std::vector<graft_fft::Complex<Real>> table;
  table.reserve(2 * static_cast<std::size_t>(kernel.root_count));
  append_roots(kernel, table);
  const ChirpValues values = values_of(kernel.chirp);
  const std::vector<graft_fft::Complex<Real>> of_passes = table;
  append_chirp(values, false, forward, table);
  table.insert(table.end(), of_passes.begin(), of_passes.end());
  append_chirp(values, true, inverse, table);
  return table;
}

}  // namespace graft::families::fft
