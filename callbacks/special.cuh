// Special functions: Bessel functions, modified Bessel functions, digamma.
//
// T is float or double. bessel_j0, bessel_j1, bessel_y0 and bessel_y1 call j0, j1, y0 and y1 of CUDA's mathematical
// library (on the host, of the C library). Up to x = 30, i0 and i1 sum the power series, whose terms are all positive,
// so no terms cancel; beyond 30 they sum the asymptotic series. digamma moves x up to 10 by the recurrence psi(x) =
// psi(x + 1) - 1/x, sums the asymptotic series for the larger x, and computes negative x by the reflection formula.
//
// The float versions of i0, i1 and digamma compute in double and round once. On an H200 this is affordable, because it
// has half as many units for double as for float. These functions are also used for tables (Kaiser windows) and
// statistics, where the time for each element matters little.
//
// References: M. Abramowitz, I. A. Stegun, "Handbook of Mathematical Functions", 1964: 9.1, 9.6.12 (series of I),
// 6.3.5, 6.3.7 and 6.3.18 (digamma), 9.7.1 (asymptotic series of I).
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

namespace detail {

__device__ inline float library_j0(float x) {
  return j0f(x);
}
__device__ inline double library_j0(double x) {
  return j0(x);
}
__device__ inline float library_j1(float x) {
  return j1f(x);
}
__device__ inline double library_j1(double x) {
  return j1(x);
}
__device__ inline float library_y0(float x) {
  return y0f(x);
}
__device__ inline double library_y0(double x) {
  return y0(x);
}
__device__ inline float library_y1(float x) {
  return y1f(x);
}
__device__ inline double library_y1(double x) {
  return y1(x);
}

// The modified Bessel function I of order 0 or 1, for x >= 0. Up to 30 it is the power series. Beyond 30 it is Hankel's
// asymptotic series, whose terms fall below 1e-17 of the sum for such x before they grow again. exp(x) is computed as
// the square of exp(x / 2), because exp(x) overflows at an x that is 3 smaller than the x at which I overflows.
__device__ inline double modified_bessel(double x, int order) {
  if (x > 720) return exp(x);  // inf, because exp overflows
  if (x > 30) {
    const double m = order == 0 ? 0 : 4;
    double term = 1;
    double sum = 1;
    for (int k = 1; k < 30; ++k) {
      const double odd = 2 * k - 1;
      term *= (odd * odd - m) / (8 * x * k);
      sum += term;
    }
    const double half = exp(0.5 * x);
    return half / sqrt(6.283185307179586476925 * x) * sum * half;
  }
  const double quarter = 0.25 * x * x;
  double term = order == 0 ? 1 : 0.5 * x;
  double sum = term;
  for (int k = 1; term > 1e-17 * sum; ++k) {
    term *= quarter / (static_cast<double>(k) * static_cast<double>(k + order));
    sum += term;
  }
  return sum;
}

// psi(x), the digamma function, for x > 0.
__device__ inline double digamma_positive(double x) {
  double below = 0;
  for (; x < 10; x += 1) below += 1 / x;
  const double y = 1 / (x * x);
  // Bernoulli numbers B(2k) / (2k): 1/12, -1/120, 1/252, -1/240, 1/132, -691/32760, 1/12
  const double tail =
      y * (1.0 / 12 - y * (1.0 / 120 -
                           y * (1.0 / 252 - y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y * (1.0 / 12)))))));
  return log(x) - 0.5 / x - tail - below;
}

}  // namespace detail

// J0(x), the Bessel function of the first kind and order 0, by the library's j0 (j0f for float).
template <class T>
__device__ T bessel_j0(T x) {
  return detail::library_j0(x);
}
// J1(x), the Bessel function of the first kind and order 1.
template <class T>
__device__ T bessel_j1(T x) {
  return detail::library_j1(x);
}
// Y0(x), the Bessel function of the second kind and order 0. 0 gives -inf, and negative x gives nan.
template <class T>
__device__ T bessel_y0(T x) {
  return detail::library_y0(x);
}
// Y1(x), the Bessel function of the second kind and order 1. 0 gives -inf, and negative x gives nan.
template <class T>
__device__ T bessel_y1(T x) {
  return detail::library_y1(x);
}

// I0(x), the modified Bessel function of the first kind and order 0. An even function; overflows to inf beyond |x| =
// 713 (double) and 91.9 (float); nan stays nan. At most 1 ulp (float) and 24 ulp (double).
template <class T>
__device__ T bessel_i0(T x) {
  return static_cast<T>(detail::modified_bessel(fabs(static_cast<double>(x)), 0));
}

// I1(x), the modified Bessel function of the first kind and order 1. An odd function; overflows to inf at about the
// same |x| as bessel_i0. The same error bounds as bessel_i0.
template <class T>
__device__ T bessel_i1(T x) {
  const double positive = detail::modified_bessel(fabs(static_cast<double>(x)), 1);
  return static_cast<T>(copysign(positive, static_cast<double>(x)));
}

// psi(x) = d/dx log Gamma(x). The poles (0 and the negative integers) and -inf give nan; inf gives inf.
// The error is at most 16 u max(1, |psi(x)|), where u is 2^-24 for float and 2^-53 for double.
template <class T>
__device__ T digamma(T x) {
  const double v = static_cast<double>(x);
  if (v > 0) return static_cast<T>(v < 1e300 ? detail::digamma_positive(v) : log(v));
  const double distance = v - rint(v);                                  // from the nearest pole; exact
  if (!(fabs(distance) > 0)) return static_cast<T>((v - v) / (v - v));  // a pole, -inf or nan
  constexpr double pi = 3.141592653589793238462643383280;
  return static_cast<T>(detail::digamma_positive(1 - v) - pi / tan(pi * distance));
}

}  // namespace graft::callbacks
