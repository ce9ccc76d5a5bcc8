// Window functions for spectral analysis. Each callback multiplies a signal by a window: x[n] w(n).
//
// The signal is one frame of `length` samples, or several frames one after another: sample i gets the weight w(n) of
// its position n = i mod length in its frame. With D = length - 1 the window is symmetric (for filter design: w(0) =
// w(length - 1)). With D = length it is periodic (for spectral analysis: sample `length` would start the next period,
// and overlapping frames add up to a constant).
//
// The usual sums of cosines lose accuracy near the edges by cancellation. Here all three windows are polynomials in s =
// sin^2(pi n / D) with positive coefficients. By cos 2a = 1 - 2 sin^2 a these polynomials are the same functions as the
// sums of cosines, but they keep their relative accuracy everywhere and are exactly symmetric:
//
//     Hann      0.50 - 0.50 cos(2 pi n / D)                            =  s
//     Hamming   0.54 - 0.46 cos(2 pi n / D)                            =  0.08 + 0.92 s
//     Blackman  0.42 - 0.50 cos(2 pi n / D) + 0.08 cos(4 pi n / D)     =  s (0.36 + 0.64 s)
//
// The functions are templates over float and double. nan and inf in the signal stay nan and inf, except that inf gives
// nan where the window is zero. A window of length 1 is 1; the length must not be 0. An ulp is a unit in the last place
// of the result.
//
// References: F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proc.
// IEEE 66 (1978); R. B. Blackman, J. W. Tukey, The Measurement of Power Spectra, Dover 1958.
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

struct Window {
  unsigned int length;    // samples in a frame, at least 1
  unsigned int periodic;  // 1: D = length; 0: symmetric, D = length - 1
};

namespace detail {

// Returns i mod length. A 32-bit remainder costs a fraction of a 64-bit remainder, so the function uses a 32-bit
// remainder for indices that fit into 32 bits, as nearly all do.
__device__ inline unsigned int place_in_frame(graft::Index i, unsigned int length) {
  const unsigned int low = static_cast<unsigned int>(i.value);
  return low == i.value ? low % length : static_cast<unsigned int>(i.value % length);
}

// sin x for 0 <= x <= pi/2, by its Taylor series (terms up to x^15 for float, x^23 for double). This function replaces
// the library's sin(), which also has code for huge arguments and therefore uses local memory. With sin(), whole
// kernels kept their data in local memory instead of in registers.
template <class T>
__device__ T sine_of_acute(T x) {
  constexpr int terms = sizeof(T) == 4 ? 7 : 11;
  T sum = T(1);
  for (int k = 2 * terms; k > 0; k -= 2) sum = T(1) - x * x * (T(1) / T(k * (k + 1))) * sum;
  return x * sum;
}

// Returns s = sin^2(pi n / D). For n in the second half of the frame, uses D - n, so that the window is exactly
// symmetric.
template <class T>
__device__ T squared_sine(graft::Index i, const Window& window) {
  if (window.length == 1) return T(1);
  const unsigned int n = place_in_frame(i, window.length);
  const unsigned int d = window.periodic ? window.length : window.length - 1;
  const T ratio = static_cast<T>(n < d - n ? n : d - n) / static_cast<T>(d);
  const T sine = sine_of_acute(T(3.14159265358979323846) * ratio);
  return sine * sine;
}

}  // namespace detail

// x times the Hann window. Error at most 12 ulp.
template <class T>
__device__ T hann(T x, graft::Index i, const Window& window) {
  return x * detail::squared_sine<T>(i, window);
}

// x times the Hamming window. Error at most 12 ulp.
template <class T>
__device__ T hamming(T x, graft::Index i, const Window& window) {
  return x * (T(0.08) + T(0.92) * detail::squared_sine<T>(i, window));
}

// x times the Blackman window. Error at most 20 ulp.
template <class T>
__device__ T blackman(T x, graft::Index i, const Window& window) {
  const T s = detail::squared_sine<T>(i, window);
  return x * (s * (T(0.36) + T(0.64) * s));
}

}  // namespace graft::callbacks
