// FFTs in long double, against which the tests compare graft's. naive_dft() is the definition; reference_fft() is fast,
// and a test compares it with the definition. Neither shares any code with graft.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "fft/complex.h"

namespace graft::test {

using Wide = std::complex<long double>;

// Output k is the sum over j of x[j] * exp(sign * 2 pi i jk/n).
inline std::vector<Wide> naive_dft(const std::vector<Wide>& x, int sign) {
  const std::size_t n = x.size();
  std::vector<Wide> y(n);
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      const long double turns = static_cast<long double>(j * k % n) / static_cast<long double>(n);
      y[k] += x[j] * std::polar(1.0L, static_cast<long double>(sign) * 2 * std::numbers::pi_v<long double> * turns);
    }
  return y;
}

// The textbook's recursion: p FFTs of every p-th element, where p is the smallest prime factor, and then p-point sums.
class ReferenceFft {
 public:
  ReferenceFft(std::size_t n, int sign) : n_(n), roots_(n) {
    for (std::size_t i = 0; i < n; ++i)
      roots_[i] = std::polar(1.0L, static_cast<long double>(sign) * 2 * std::numbers::pi_v<long double> *
                                       static_cast<long double>(i) / static_cast<long double>(n));
  }

  std::vector<Wide> operator()(const std::vector<Wide>& x) const {
    std::vector<Wide> y(n_);
    run(x.data(), 1, y.data(), n_);
    return y;
  }

 private:
  void run(const Wide* x, std::size_t stride, Wide* y, std::size_t n) const {
    if (n == 1) {
      *y = *x;
      return;
    }
    std::size_t p = 2;
    while (n % p != 0) ++p;
    const std::size_t m = n / p;
    for (std::size_t i = 0; i < p; ++i) run(x + i * stride, stride * p, y + i * m, m);
    std::vector<Wide> terms(p);
    for (std::size_t k = 0; k < m; ++k) {
      for (std::size_t i = 0; i < p; ++i) terms[i] = product(y[i * m + k], roots_[n_ / n * (i * k)]);
      for (std::size_t l = 0; l < p; ++l) {
        Wide sum = terms[0];
        for (std::size_t i = 1; i < p; ++i) sum += product(terms[i], roots_[n_ / p * (i * l % p)]);
        y[k + l * m] = sum;
      }
    }
  }

  // Without the tests for infinities of std::complex's operator.
  static Wide product(const Wide& a, const Wide& b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  std::size_t n_;
  std::vector<Wide> roots_;
};

inline std::vector<Wide> reference_fft(const std::vector<Wide>& x, int sign) {
  return ReferenceFft(x.size(), sign)(x);
}

// Of several dimensions, the slowest first: FFTs along one dimension after the other. An empty shape is one dimension.
inline std::vector<Wide> reference_fft(std::vector<Wide> x, const std::vector<std::int64_t>& shape, int sign) {
  if (shape.empty()) return reference_fft(x, sign);
  std::size_t inner = 1;
  for (auto extent = shape.rbegin(); extent != shape.rend(); ++extent) {
    const auto n = static_cast<std::size_t>(*extent);
    const ReferenceFft along(n, sign);
    for (std::size_t begin = 0; begin < x.size(); ++begin) {
      if (begin / inner % n != 0) continue;
      std::vector<Wide> line(n);
      for (std::size_t i = 0; i < n; ++i) line[i] = x[begin + i * inner];
      line = along(line);
      for (std::size_t i = 0; i < n; ++i) x[begin + i * inner] = line[i];
    }
    inner *= n;
  }
  return x;
}

template <class Real>
std::vector<graft_fft::Complex<Real>> random_signal(std::size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<graft_fft::Complex<Real>> x(n);
  for (auto& value : x) value = {static_cast<Real>(number(generator)), static_cast<Real>(number(generator))};
  return x;
}

template <class Real>
std::vector<Wide> wide(const std::vector<graft_fft::Complex<Real>>& x) {
  std::vector<Wide> y;
  y.reserve(x.size());
  for (const auto& value : x) y.emplace_back(value.re, value.im);
  return y;
}

// The root mean square of the differences, relative to that of `expected`, in units of Real's rounding error (half of
// the distance between 1 and the next number).
template <class Real>
double rms_error(const std::vector<graft_fft::Complex<Real>>& found, const std::vector<Wide>& expected) {
  long double differences = 0, whole = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    differences += std::norm(Wide(found[i].re, found[i].im) - expected[i]);
    whole += std::norm(expected[i]);
  }
  if (whole == 0) return differences == 0 ? 0 : 1e30;
  const long double rounding = std::numeric_limits<Real>::epsilon() / 2;
  return static_cast<double>(std::sqrt(differences / whole) / rounding);
}

// One of `batch` equal parts.
template <class T>
std::vector<T> part(const std::vector<T>& all, std::size_t number, std::size_t batch) {
  const auto size = static_cast<std::ptrdiff_t>(all.size() / batch);
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(number) * size;
  return {begin, begin + size};
}

}  // namespace graft::test
