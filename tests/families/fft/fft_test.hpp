// Runs a graft::Fft on arrays of the tests and compares with FFTs in long double, on the host or on a GPU.
#pragma once

#include <gmock/gmock.h>

#include <complex>
#include <memory>
#include <vector>

#include "families/fft/reference.hpp"
#include "graft/fft.hpp"

namespace graft::test {

template <class Real>
constexpr FftPrecision precision_of() {
  return sizeof(Real) == 4 ? FftPrecision::F32 : FftPrecision::F64;
}

// The FFT that a batch must give: point p of FFT b is made by load(value, b * length + p), and result k by
// store(value, b * length + k).
template <class Real, class Load, class Store>
std::vector<Wide> expected_fft(const std::vector<graft_fft::Complex<Real>>& in, std::int64_t length,
                               Direction direction, Load load, Store store) {
  std::vector<Wide> all;
  const auto n = static_cast<std::size_t>(length);
  for (std::size_t b = 0; b < in.size() / n; ++b) {
    std::vector<Wide> x;
    for (std::size_t p = 0; p < n; ++p) x.push_back(load(Wide(in[b * n + p].re, in[b * n + p].im), b * n + p));
    const std::vector<Wide> y = reference_fft(x, direction == Direction::Inverse ? 1 : -1);
    for (std::size_t k = 0; k < n; ++k) all.push_back(store(y[k], b * n + k));
  }
  return all;
}

inline Wide unchanged(Wide value, std::size_t) {
  return value;
}

// The array as graft takes it: graft_fft::Complex is a type of the tests.
template <class Real, class Array>
ArrayRef refer(Array& array) {
  return {array.data(), array.size(), element_type<std::complex<Real>>()};
}

}  // namespace graft::test
