// Elementwise arithmetic. The comment of each function gives its formula, a bound on the rounding error, and special
// cases.
//
// Every function is a template over the element type T: float and double, the integers, and graft::complex if the
// formula is defined for complex numbers. Integers follow C++: unsigned arithmetic wraps, signed overflow is undefined,
// and types narrower than int are computed as int and then converted to T.
//
// An error is the difference from the same formula in exact arithmetic. The bounds are for results that neither
// overflow nor fall below the smallest normal number, and hold with and without contraction of a * b + c into one fused
// multiply-add. u is half a unit in the last place of 1: 2^-24 for float, 2^-53 for double.
//
// Reference: N. J. Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., SIAM 2002, chapters 2 and 3.
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

// x + y. Correctly rounded.
template <class T>
__device__ T add(T x, T y) {
  return static_cast<T>(x + y);
}

// x - y. Correctly rounded.
template <class T>
__device__ T subtract(T x, T y) {
  return static_cast<T>(x - y);
}

// x y. Correctly rounded for real T; for complex T see complex_multiply in complex.cuh.
template <class T>
__device__ T multiply(T x, T y) {
  return static_cast<T>(x * y);
}

// x / y. Correctly rounded for real T; floating-point division by zero gives inf or nan, integer division is undefined.
template <class T>
__device__ T divide(T x, T y) {
  return static_cast<T>(x / y);
}

namespace detail {

// x y + z. The overloads for float and double round once.
template <class T>
__device__ T fused(T x, T y, T z) {
  return static_cast<T>(x * y + z);
}
__device__ inline float fused(float x, float y, float z) {
  return fma(x, y, z);
}
__device__ inline double fused(double x, double y, double z) {
  return fma(x, y, z);
}

}  // namespace detail

// x y + z, rounded once for floating-point T (IEEE 754 fusedMultiplyAdd).
template <class T>
__device__ T multiply_add(T x, T y, T z) {
  return detail::fused(x, y, z);
}

// The smaller of x and y, or nan if x or y is nan. This is IEEE 754-2019 minimum, except that the result for +0 and -0
// may be either zero.
template <class T>
__device__ T minimum(T x, T y) {
  return x < y || x != x ? x : y;
}

// The larger of x and y, or nan if x or y is nan. This is IEEE 754-2019 maximum, except that the result for +0 and -0
// may be either zero.
template <class T>
__device__ T maximum(T x, T y) {
  return x > y || x != x ? x : y;
}

template <class T>
struct Scale {
  T a;
};

// a x + y (BLAS axpy). |error| <= 2u (|a x| + |y|).
template <class T>
__device__ T axpy(T x, T y, const Scale<T>& scale) {
  return static_cast<T>(scale.a * x + y);
}

template <class T>
struct Affine {
  T a;
  T b;
};

// a x + b. |error| <= 2u (|a x| + |b|).
template <class T>
__device__ T affine(T x, const Affine<T>& f) {
  return static_cast<T>(f.a * x + f.b);
}

template <class T>
struct Range {
  T low;
  T high;
};

// x limited to [low, high]. The result is exact; nan stays nan. The caller must ensure low <= high.
template <class T>
__device__ T clamp(T x, const Range<T>& range) {
  return x < range.low ? range.low : x > range.high ? range.high : x;
}

// (1 - t) x + t y, as two fused steps: exactly x at t = 0 and y at t = 1. |error| <= 2u (|(1 - t) x| + |t y|). The
// result is nan if x or y is infinite. T must be a floating-point type.
template <class T>
__device__ T lerp(T x, T y, T t) {
  return static_cast<T>(fma(t, y, fma(-t, x, x)));
}

template <class T>
struct Ramp {
  T start;
  T step;
};

// start + i step for element i. T must be a floating-point type. |error| <= 3u (|start| + |i step|), since i is rounded
// to T first.
template <class T>
__device__ T ramp(graft::Index i, const Ramp<T>& r) {
  return static_cast<T>(fma(static_cast<T>(i.value), r.step, r.start));
}

}  // namespace graft::callbacks
