// Activation functions of neural networks.
//
// The functions are templates over float and double, and over __half and __nv_bfloat16 if the program includes their
// headers. Results of the 16-bit types are computed in float and rounded once, to nearest even.
//
// The textbook formulas of the smooth functions overflow (softplus), lose accuracy by cancellation (sigmoid of large
// negative x) or turn -inf into nan (silu, gelu: -inf * 0). Therefore the sigmoid is computed from exp(-|x|), which
// never overflows. GELU and SiLU are computed as x times a gate, a factor in [0, 1], and the result is 0 where the gate
// has underflowed to 0.
//
// All functions return nan for nan. The comment of each function gives its formula and a bound on its error. The error
// is the difference from the exact function of the given input, and the bounds hold where the exact result is a normal
// number. An ulp is a unit in the last place of the result; u is 2^-24 for float and 2^-53 for double. For float, the
// bounds of the smooth functions were checked for all 2^32 inputs on an H200. With fast math none of the bounds holds.
//
// References: D. Hendrycks, K. Gimpel, "Gaussian Error Linear Units", 2016, arXiv:1606.08415 (GELU, its tanh form,
// SiLU); K. He et al., "Delving Deep into Rectifiers", ICCV 2015 (PReLU); D.-A. Clevert et al., "Fast and Accurate Deep
// Network Learning by Exponential Linear Units", ICLR 2016 (ELU); Z. Zhuo et al., "Polynomial Composition Activations",
// 2024, arXiv:2411.03884 (PolyReLU).
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

namespace detail {

// The type to compute in: double for double, and float for all narrower types.
template <class T>
struct Working {
  using type = float;
};
template <>
struct Working<double> {
  using type = double;
};

template <class T>
__device__ typename Working<T>::type widen(T x) {
  return static_cast<typename Working<T>::type>(x);
}

template <class T>
__device__ T positive_part(T x) {
  return x < T(0) ? T(0) : x;
}

template <class T>
__device__ T logistic(T x) {
  const T e = exp(-fabs(x));
  return (x < T(0) ? e : T(1)) / (T(1) + e);
}

template <class T>
__device__ T gated(T x, T gate) {
  return gate == T(0) ? T(0) : x * gate;
}

}  // namespace detail

// max(x, 0). The result is exact; inf stays inf, -inf gives 0.
template <class T>
__device__ T relu(T x) {
  return T(detail::positive_part(detail::widen(x)));
}

template <class T>
struct Slope {
  T slope;
};

// x for x >= 0, slope times x for x < 0. Error at most 0.5 ulp.
template <class T>
__device__ T leaky_relu(T x, const Slope<T>& negative) {
  const auto v = detail::widen(x);
  return T(v < 0 ? detail::widen(negative.slope) * v : v);
}

// x for x >= 0, slope times x for x < 0, where the slope is an input array with one value for each element (PReLU).
// Error at most 0.5 ulp.
template <class T>
__device__ T prelu(T x, T slope) {
  const auto v = detail::widen(x);
  return T(v < 0 ? detail::widen(slope) * v : v);
}

// The coefficients of a[0] + a[1] r + a[2] r^2 + a[3] r^3 with r = max(x, 0).
template <class T>
struct PolyRelu {
  T a[4];
};

// Computes the polynomial of PolyRelu by Horner's rule. |error| <= 6.01u (|a0| + |a1| r + |a2| r^2 + |a3| r^3). inf
// gives inf or nan, depending on the signs of the coefficients.
template <class T>
__device__ T poly_relu(T x, const PolyRelu<T>& p) {
  const auto r = detail::positive_part(detail::widen(x));
  const auto quadratic = detail::widen(p.a[2]) + r * detail::widen(p.a[3]);
  return T(detail::widen(p.a[0]) + r * (detail::widen(p.a[1]) + r * quadratic));
}

template <class T>
struct Elu {
  T alpha;
};

// x for x >= 0, alpha (e^x - 1) for x < 0. Error at most 3 ulp; -inf gives -alpha.
template <class T>
__device__ T elu(T x, const Elu<T>& negative) {
  const auto v = detail::widen(x);
  return T(v < 0 ? detail::widen(negative.alpha) * expm1(v) : v);
}

// 1 / (1 + e^-x). Error at most 4 ulp; -inf gives 0, inf gives 1.
template <class T>
__device__ T sigmoid(T x) {
  return T(detail::logistic(detail::widen(x)));
}

// x / (1 + e^-x), also called swish. The error is at most 5 ulp if e^x is a normal number (x > -87 for float),
// otherwise at most 2 |x| times the smallest subnormal number. -inf gives 0, inf gives inf.
template <class T>
__device__ T silu(T x) {
  const auto v = detail::widen(x);
  return T(detail::gated(v, detail::logistic(v)));
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), which does not overflow. Error at most 4 ulp; -inf gives 0, inf gives
// inf.
template <class T>
__device__ T softplus(T x) {
  const auto v = detail::widen(x);
  const decltype(v) tail = log1p(exp(-fabs(v)));
  return T((v > 0 ? v : 0) + tail);
}

// x P(X <= x) for a standard normal X, which is x/2 (1 + erf(x / sqrt 2)). |error| <= 4u |x|. For large negative x,
// where the exact value is smaller than this bound, the result is 0. -inf gives 0, inf gives inf.
template <class T>
__device__ T gelu(T x) {
  const auto v = detail::widen(x);
  using Real = typename detail::Working<T>::type;
  const Real twice_gate = Real(1) + erf(v * Real(0.70710678118654752440));
  return T(detail::gated(v, Real(0.5) * twice_gate));
}

// GELU's tanh form, x/2 (1 + tanh(s)) = x / (1 + e^-2s) with s = sqrt(2 / pi) (x + 0.044715 x^3). |error| <= 4u |x|.
// The second formula has no cancellation for large negative x. -inf gives 0, inf gives inf.
template <class T>
__device__ T gelu_tanh(T x) {
  const auto v = detail::widen(x);
  using Real = typename detail::Working<T>::type;
  const Real twice_s = Real(1.59576912160573071176) * (v + Real(0.044715) * v * v * v);
  return T(detail::gated(v, detail::logistic(twice_s)));
}

}  // namespace graft::callbacks
