// Complex arithmetic on graft::complex<float> and graft::complex<double>, whose bytes are those of std::complex,
// thrust::complex, float2 and double2.
//
// Products use the textbook formula. Unlike the products of C99 Annex G, these products do not restore infinities: if
// an operand has an infinite component, the result is nan where inf * 0 or inf - inf occurs. Error bounds are for
// results without overflow and underflow; u is 2^-24 for float and 2^-53 for double. |.| is the complex modulus, so the
// bounds hold for the number as a whole: a component that is much smaller than the other may have a larger relative
// error than the bound.
//
// References: R. Brent, C. Percival, P. Zimmermann, "Error bounds on complex floating-point multiplication", Math.
// Comp. 76 (2007): sqrt(5) u; C.-P. Jeannerod et al., "On relative errors of floating-point operations", Math. Comp.
// 86 (2017), for 2u with fused multiply-adds. The bounds of hypot, atan2, sin and cos are those of the CUDA C++
// Programming Guide.
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

// x y. |error| <= sqrt(5) u |x y|.
template <class T>
__device__ graft::complex<T> complex_multiply(graft::complex<T> x, graft::complex<T> y) {
  return x * y;
}

// x conj(y), the product that a correlation sums. |error| <= sqrt(5) u |x y|.
template <class T>
__device__ graft::complex<T> multiply_conjugate(graft::complex<T> x, graft::complex<T> y) {
  return x * graft::conj(y);
}

template <class T>
struct ComplexScale {
  T factor;
};

// factor z, with a real factor, for example to normalise an inverse FFT. Each component is correctly rounded.
template <class T>
__device__ graft::complex<T> complex_scale(graft::complex<T> z, const ComplexScale<T>& scale) {
  return {scale.factor * z.re, scale.factor * z.im};
}

// w z, with a real weight w for each element, for example the gain of a filter. Each component is correctly rounded.
template <class T>
__device__ graft::complex<T> complex_weight(graft::complex<T> z, T w) {
  return {w * z.re, w * z.im};
}

// re - i im. The result is exact.
template <class T>
__device__ graft::complex<T> conjugate(graft::complex<T> z) {
  return graft::conj(z);
}

// |z|, without overflow or underflow in intermediate results. Error at most 3 ulp. If a component is infinite, the
// result is inf, even if the other is nan.
template <class T>
__device__ T magnitude(graft::complex<T> z) {
  return hypot(z.re, z.im);
}

// |z|^2 = re^2 + im^2, the power. |error| <= 2u |z|^2; overflows if |z|^2 is too large for T.
template <class T>
__device__ T squared_magnitude(graft::complex<T> z) {
  return graft::norm(z);
}

// The angle of z in radians, from -pi to pi. Error at most 4 ulp. For z = 0 the result depends on the signs of the two
// zeros, as in atan2: 0, -0, pi or -pi.
template <class T>
__device__ T phase(graft::complex<T> z) {
  return atan2(z.im, z.re);
}

// r (cos angle + i sin angle). The error of each component is at most 5 ulp; the result is nan if the angle is
// infinite. For huge angles, sin and cos use a few bytes of local memory.
template <class T>
__device__ graft::complex<T> from_polar(T r, T angle) {
  return {static_cast<T>(r * cos(angle)), static_cast<T>(r * sin(angle))};
}

}  // namespace graft::callbacks
