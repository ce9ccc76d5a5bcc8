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
// The Kaiser window is I0(beta sqrt(1 - (2n/D - 1)^2)) / I0(beta), where I0 is the modified Bessel function. Here it is
// the power series of I0 in (beta/2)^2 (1 - (2n/D - 1)^2) = beta^2 (n/D) (1 - n/D), which has positive terms only.
//
// The functions are templates over float, double and graft::complex of them, whose weights are real. nan and inf in the
// signal stay nan and inf, except that inf gives nan where the window is zero. A window of length 1 is 1; the length
// must not be 0. An ulp is a unit in the last place of the result.
//
// References: F. J. Harris, "On the use of windows for harmonic analysis with the discrete Fourier transform", Proc.
// IEEE 66 (1978); R. B. Blackman, J. W. Tukey, The Measurement of Power Spectra, Dover 1958; J. F. Kaiser, R. W.
// Schafer, "On the use of the I0-sinh window for spectrum analysis", IEEE Trans. ASSP 28 (1980).
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

struct Window {
  unsigned int length;    // samples in a frame, at least 1
  unsigned int periodic;  // 1: D = length; 0: symmetric, D = length - 1
};

// T is float or double.
template <class T>
struct Kaiser {
  unsigned int length;    // as in Window
  unsigned int periodic;  // as in Window
  T beta;                 // 0 to 20; a larger beta gives lower side lobes and a wider main lobe
  T scale;                // 1 / I0(beta), on the host 1 / std::cyl_bessel_i(0.0, beta)
};

namespace detail {

// The type of the weight of a T: T itself, or that of a complex number's parts.
template <class T>
struct Weight {
  using type = T;
};
template <class T>
struct Weight<graft::complex<T>> {
  using type = T;
};

template <class T>
__device__ T weighted(T x, T weight) {
  return x * weight;
}
template <class T>
__device__ graft::complex<T> weighted(graft::complex<T> x, T weight) {
  return {x.re * weight, x.im * weight};
}

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

// Returns n / D, at most 1/2. For n in the second half of the frame, returns 1 - n/D, so that windows are exactly
// symmetric. The length is at least 2.
template <class T, class Frame>
__device__ T place_from_edge(graft::Index i, const Frame& frame) {
  const unsigned int n = place_in_frame(i, frame.length);
  const unsigned int d = frame.periodic ? frame.length : frame.length - 1;
  return static_cast<T>(n < d - n ? n : d - n) / static_cast<T>(d);
}

// Returns s = sin^2(pi n / D).
template <class T>
__device__ T squared_sine(graft::Index i, const Window& window) {
  if (window.length == 1) return T(1);
  const T sine = sine_of_acute(T(3.14159265358979323846) * place_from_edge<T>(i, window));
  return sine * sine;
}

// Returns I0(2 sqrt(q)) for 0 <= q <= 100, the sum of q^k / (k!)^2. With these numbers of terms, what is left out is
// below a unit in the last place. The loop has no condition that depends on q, so that the compiler unrolls it into two
// instructions for each term; a loop up to convergence would need a division for each term.
template <class T>
__device__ T i0_of_root(T q) {
  constexpr int terms = sizeof(T) == 4 ? 26 : 37;
  T sum = T(1);
  for (int k = terms; k > 0; --k) sum = T(1) + q * (T(1) / T(k * k)) * sum;
  return sum;
}

}  // namespace detail

// x times the Hann window. Error at most 12 ulp.
template <class T>
__device__ T hann(T x, graft::Index i, const Window& window) {
  using Real = typename detail::Weight<T>::type;
  return detail::weighted(x, detail::squared_sine<Real>(i, window));
}

// x times the Hamming window. Error at most 12 ulp.
template <class T>
__device__ T hamming(T x, graft::Index i, const Window& window) {
  using Real = typename detail::Weight<T>::type;
  return detail::weighted(x, Real(0.08) + Real(0.92) * detail::squared_sine<Real>(i, window));
}

// x times the Blackman window. Error at most 20 ulp.
template <class T>
__device__ T blackman(T x, graft::Index i, const Window& window) {
  using Real = typename detail::Weight<T>::type;
  const Real s = detail::squared_sine<Real>(i, window);
  return detail::weighted(x, s * (Real(0.36) + Real(0.64) * s));
}

// x times the Kaiser window. Error at most 40 ulp.
template <class T>
__device__ T kaiser(T x, graft::Index i, const Kaiser<typename detail::Weight<T>::type>& window) {
  using Real = typename detail::Weight<T>::type;
  if (window.length == 1) return x;
  const Real t = detail::place_from_edge<Real>(i, window);
  return detail::weighted(x, window.scale * detail::i0_of_root(window.beta * window.beta * (t * (Real(1) - t))));
}

}  // namespace graft::callbacks
