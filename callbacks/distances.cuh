// Distances between coordinates, for transforms of two arrays and for the slot of a kernel that sums over coordinates
// (docs/kernels.md): nearest neighbours, clustering, robust fits.
//
// |error| is a multiple of the result; u is 2^-24 for float, 2^-53 for double. The bounds hold as long as nothing
// overflows or becomes subnormal. nan gives nan.
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

// |a - b|; 1u.
template <class T>
__device__ T absolute_difference(T a, T b) {
  return fabs(a - b);
}

// (a - b)^2; 4u.
template <class T>
__device__ T squared_difference(T a, T b) {
  const T e = a - b;
  return e * e;
}

template <class T>
struct Huber {
  T delta;
};

// Huber's loss of e = |a - b|: e^2 / 2 up to delta, and delta (e - delta / 2) beyond; 6u. P. J. Huber, "Robust
// estimation of a location parameter", Ann. Math. Statist. 35 (1964).
template <class T>
__device__ T huber(T a, T b, const Huber<T>& s) {
  const T e = fabs(a - b);
  return e <= s.delta ? T(0.5) * e * e : s.delta * (e - T(0.5) * s.delta);
}

template <class T>
struct Minkowski {
  T exponent;
};

// |a - b|^p, of which the p-th root of the sum is Minkowski's distance; (16 + 4 |p|) u.
template <class T>
__device__ T minkowski(T a, T b, const Minkowski<T>& s) {
  return pow(fabs(a - b), s.exponent);
}

// |a - b| / (|a| + |b|), and 0 if both are 0 (Canberra distance); 4u.
template <class T>
__device__ T canberra(T a, T b) {
  const T sum = fabs(a) + fabs(b);
  return sum == T(0) ? T(0) : fabs(a - b) / sum;
}

// (a - b)^2 / (a + b) of two counts, and 0 if both are 0 (chi-squared distance of histograms, without the factor 1/2);
// 8u for a and b that are not negative.
template <class T>
__device__ T chi_squared(T a, T b) {
  const T sum = a + b, e = a - b;
  return sum == T(0) ? T(0) : e * e / sum;
}

}  // namespace graft::callbacks
