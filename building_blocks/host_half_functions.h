// Functions of cuda_fp16.h and cuda_bf16.h that these headers define only for device compilers: fused products and
// sums, elementary functions, and conversions to integers. GRAFT_HALF_FUNCTIONS defines the functions for one type.
//
// As on the device, a fused product and sum is the exact result rounded once. The elementary functions round the result
// in float, so their error is below one unit in the last place.
#pragma once

namespace graft_host {

// Returns product + c rounded to odd: if the sum is not exact, the last bit of the result is 1. The result then rounds
// to a narrower format as the exact sum does (S. Boldo and G. Melquiond, Emulation of FMA and correctly rounded sums,
// IEEE Transactions on Computers 57, 2008).
inline double sum_rounded_to_odd(double product, double c) {
  const double sum = product + c;
  const double c_in_sum = sum - product;
  const double error = (product - (sum - c_in_sum)) + (c - c_in_sum);
  if (!std::isfinite(sum) || error == 0 || (bits<unsigned long long>(sum) & 1) != 0) return sum;
  return std::nextafter(sum, error > 0 ? HUGE_VAL : -HUGE_VAL);
}
// As on the device, NaN becomes 0 in a saturated result.
inline double to_unit_interval(double x) {
  return x > 0 ? (x < 1 ? x : 1.0) : 0.0;
}

}  // namespace graft_host

#define GRAFT_HALF_OF_ONE(Half, Half2, name, ...)   \
  inline Half h##name(Half half) {                  \
    const float x = static_cast<float>(half);       \
    return Half(static_cast<float>(__VA_ARGS__));   \
  }                                                 \
  inline Half2 h2##name(Half2 pair) {               \
    return Half2(h##name(pair.x), h##name(pair.y)); \
  }
#define GRAFT_HALF_FMA(Half, Half2, from_double, suffix, change)                                \
  inline Half __hfma##suffix(Half a, Half b, Half c) {                                          \
    const double product = static_cast<double>(static_cast<float>(a)) * static_cast<float>(b);  \
    return from_double(change(graft_host::sum_rounded_to_odd(product, static_cast<float>(c)))); \
  }                                                                                             \
  inline Half2 __hfma2##suffix(Half2 a, Half2 b, Half2 c) {                                     \
    return Half2(__hfma##suffix(a.x, b.x, c.x), __hfma##suffix(a.y, b.y, c.y));                 \
  }
#define GRAFT_HALF_TO_INTEGER(Half, prefix, name, Integer)                         \
  inline Integer prefix##name##_rn(Half half) {                                    \
    return graft_host::integer<Integer>(std::nearbyint(static_cast<float>(half))); \
  }                                                                                \
  inline Integer prefix##name##_rd(Half half) {                                    \
    return graft_host::integer<Integer>(std::floor(static_cast<float>(half)));     \
  }                                                                                \
  inline Integer prefix##name##_ru(Half half) {                                    \
    return graft_host::integer<Integer>(std::ceil(static_cast<float>(half)));      \
  }

// A math function of halves is that of floats, as on the device, where `sqrt` has no overload for `long double` that a
// half fits as well. They are variadic templates so that a function of the user is a better match.
#define GRAFT_HALF_IN_FLOAT(Half, name, count)                                                             \
  namespace std {                                                                                          \
  template <class... T>                                                                                    \
  inline std::enable_if_t<sizeof...(T) == count && (std::is_same_v<T, Half> && ...), float> name(T... x) { \
    return std::name(static_cast<float>(x)...);                                                            \
  }                                                                                                        \
  }                                                                                                        \
  using std::name;

#define GRAFT_HALF_FUNCTIONS(Half, Half2, from_double, to_integer)                                          \
  GRAFT_HALF_FMA(Half, Half2, from_double, , )                                                              \
  GRAFT_HALF_FMA(Half, Half2, from_double, _sat, graft_host::to_unit_interval)                              \
  inline Half __hfma_relu(Half a, Half b, Half c) {                                                         \
    return __hmax_nan(__hfma(a, b, c), Half(0.0f));                                                         \
  }                                                                                                         \
  inline Half2 __hfma2_relu(Half2 a, Half2 b, Half2 c) {                                                    \
    return Half2(__hfma_relu(a.x, b.x, c.x), __hfma_relu(a.y, b.y, c.y));                                   \
  }                                                                                                         \
  inline Half2 __hcmadd(Half2 a, Half2 b, Half2 c) {                                                        \
    return Half2(__hfma(__hneg(a.y), b.y, __hfma(a.x, b.x, c.x)), __hfma(a.y, b.x, __hfma(a.x, b.y, c.y))); \
  }                                                                                                         \
  GRAFT_HALF_OF_ONE(Half, Half2, sqrt, std::sqrt(x))                                                        \
  GRAFT_HALF_OF_ONE(Half, Half2, rsqrt, 1 / std::sqrt(static_cast<double>(x)))                              \
  GRAFT_HALF_OF_ONE(Half, Half2, rcp, 1 / x)                                                                \
  GRAFT_HALF_OF_ONE(Half, Half2, exp, std::exp(x))                                                          \
  GRAFT_HALF_OF_ONE(Half, Half2, exp2, std::exp2(x))                                                        \
  GRAFT_HALF_OF_ONE(Half, Half2, exp10, exp10f(x))                                                          \
  GRAFT_HALF_OF_ONE(Half, Half2, log, std::log(x))                                                          \
  GRAFT_HALF_OF_ONE(Half, Half2, log2, std::log2(x))                                                        \
  GRAFT_HALF_OF_ONE(Half, Half2, log10, std::log10(x))                                                      \
  GRAFT_HALF_OF_ONE(Half, Half2, sin, std::sin(x))                                                          \
  GRAFT_HALF_OF_ONE(Half, Half2, cos, std::cos(x))                                                          \
  GRAFT_HALF_OF_ONE(Half, Half2, tanh, std::tanh(x))                                                        \
  GRAFT_HALF_OF_ONE(Half, Half2, tanh_approx, std::tanh(x))                                                 \
  GRAFT_HALF_OF_ONE(Half, Half2, ceil, std::ceil(x))                                                        \
  GRAFT_HALF_OF_ONE(Half, Half2, floor, std::floor(x))                                                      \
  GRAFT_HALF_OF_ONE(Half, Half2, trunc, std::trunc(x))                                                      \
  GRAFT_HALF_OF_ONE(Half, Half2, rint, std::nearbyint(x))                                                   \
  GRAFT_HALF_TO_INTEGER(Half, to_integer, int, int)                                                         \
  GRAFT_HALF_TO_INTEGER(Half, to_integer, uint, unsigned int)                                               \
  GRAFT_HALF_TO_INTEGER(Half, to_integer, short, short)                                                     \
  GRAFT_HALF_TO_INTEGER(Half, to_integer, ushort, unsigned short)                                           \
  GRAFT_HALF_TO_INTEGER(Half, to_integer, ll, long long)                                                    \
  GRAFT_HALF_TO_INTEGER(Half, to_integer, ull, unsigned long long)                                          \
  GRAFT_HALF_IN_FLOAT(Half, acos, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, acosh, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, asin, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, asinh, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, atan, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, atanh, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, cbrt, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, ceil, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, cos, 1)                                                                         \
  GRAFT_HALF_IN_FLOAT(Half, cosh, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, erf, 1)                                                                         \
  GRAFT_HALF_IN_FLOAT(Half, erfc, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, exp, 1)                                                                         \
  GRAFT_HALF_IN_FLOAT(Half, exp2, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, expm1, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, fabs, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, floor, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, lgamma, 1)                                                                      \
  GRAFT_HALF_IN_FLOAT(Half, log, 1)                                                                         \
  GRAFT_HALF_IN_FLOAT(Half, log10, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, log1p, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, log2, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, nearbyint, 1)                                                                   \
  GRAFT_HALF_IN_FLOAT(Half, rint, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, round, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, sin, 1)                                                                         \
  GRAFT_HALF_IN_FLOAT(Half, sinh, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, sqrt, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, tan, 1)                                                                         \
  GRAFT_HALF_IN_FLOAT(Half, tanh, 1)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, tgamma, 1)                                                                      \
  GRAFT_HALF_IN_FLOAT(Half, trunc, 1)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, atan2, 2)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, copysign, 2)                                                                    \
  GRAFT_HALF_IN_FLOAT(Half, fdim, 2)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, fmax, 2)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, fmin, 2)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, fmod, 2)                                                                        \
  GRAFT_HALF_IN_FLOAT(Half, hypot, 2)                                                                       \
  GRAFT_HALF_IN_FLOAT(Half, remainder, 2)
