// Special functions of CUDA that no C library has, for the host route: inverses of the error function and of the normal
// distribution, modified Bessel functions, and norms. host.h includes this file.
//
// The functions for double have a relative error below 1e-14 where the result is a normal number. The functions for
// float round a result in double. "A&S" is Abramowitz and Stegun, Handbook of Mathematical Functions.
#pragma once

namespace graft_host {

constexpr double kPi = 3.14159265358979323846;
constexpr double kSqrtPi = 1.77245385090551602730;

// Returns erfcx(x) = exp(x^2) erfc(x) for x >= 20 by the asymptotic series (A&S 7.1.23).
inline double scaled_erfc_of_large(double x) {
  const double u = 1 / (2 * x * x);
  return (1 - u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u * (1 - 9 * u * (1 - 11 * u)))))) / (x * kSqrtPi);
}

// Returns x >= 0 with erf(x)^2 = 1 - exp(log_rest), with a relative error below 1 %. Winitzki's approximation
// erf(x)^2 = 1 - exp(-x^2 (4/pi + a x^2) / (1 + a x^2)), solved for x.
inline double rough_inverse_erf(double log_rest) {
  constexpr double a = 0.147;
  const double t = 2 / (kPi * a) + log_rest / 2;
  const double root = std::sqrt(t * t - log_rest / a);
  return std::sqrt(t > 0 ? -log_rest / a / (root + t) : root - t);
}

// Returns x with erfc(x) = c, for 0 < c <= 1/2. Newton's method on log(erfc), which is close to a parabola.
inline double inverse_of_tail(double c) {
  const double log_c = std::log(c);
  double x = rough_inverse_erf(log_c + std::log(2 - c));
  for (int step = 0; step < 5; ++step) {
    const bool is_large = x >= 20;
    const double scaled = is_large ? scaled_erfc_of_large(x) : std::exp(x * x) * std::erfc(x);
    const double log_ratio = is_large ? std::log(scaled) - x * x - log_c : std::log(std::erfc(x) / c);
    x += log_ratio * scaled * kSqrtPi / 2;
  }
  return x;
}

// Returns x with erf(x) = y, for |y| <= 1/2, by Newton's method.
inline double inverse_of_middle(double y) {
  double x = std::copysign(rough_inverse_erf(std::log1p(-y * y)), y);
  for (int step = 0; step < 4; ++step) x -= (std::erf(x) - y) * std::exp(x * x) * kSqrtPi / 2;
  return x;
}

// Returns I_order(x) for order 0 or 1. The terms of the power series (A&S 9.6.10) are all positive. For large x, the
// asymptotic series (A&S 9.7.1) reaches the accuracy of a double before its terms grow again.
inline double modified_bessel(int order, double signed_x) {
  const double x = std::fabs(signed_x);
  const double sign = order == 1 && signed_x < 0 ? -1 : 1;
  double term = 1, sum = 1;
  if (x < 40) {
    if (order == 1) sum = term = x / 2;
    for (int k = 1; term > sum * 1e-18; ++k) sum += term *= x * x / 4 / (k * (k + order));
    return sign * sum;
  }
  if (x >= 720) return sign * HUGE_VAL;
  if (std::isnan(x)) return x;
  for (int k = 0; std::fabs(term) > 1e-18; ++k)
    sum += term *= ((2 * k + 1) * (2 * k + 1) - 4 * order) / ((k + 1) * 8 * x);
  const double half = std::exp(x / 2);  // exp(x) would overflow before the result does
  return sign * (half / std::sqrt(2 * kPi * x) * sum * half);
}

}  // namespace graft_host

inline double erfinv(double y) {
  const double rest = 1 - std::fabs(y);  // exact if it is used
  if (std::fabs(y) <= 0.5) return graft_host::inverse_of_middle(y);
  if (rest > 0) return std::copysign(graft_host::inverse_of_tail(rest), y);
  return rest == 0 ? std::copysign(HUGE_VAL, y) : NAN;
}
inline double erfcinv(double c) {
  if (c >= 0.5 && c <= 1.5) return graft_host::inverse_of_middle(1 - c);
  if (c > 0 && c < 2) return c < 1 ? graft_host::inverse_of_tail(c) : -graft_host::inverse_of_tail(2 - c);
  return c == 0 ? HUGE_VAL : c == 2 ? -HUGE_VAL : NAN;
}
inline double normcdfinv(double p) {
  return -1.41421356237309504880 * erfcinv(2 * p);
}
inline double erfcx(double x) {
  if (x >= 20) return std::isinf(x) ? 0 : graft_host::scaled_erfc_of_large(x);
  const double square = x * x, rest = std::fma(x, x, -square);
  return std::isinf(square) ? square : std::exp(square) * (1 + rest) * std::erfc(x);
}
inline double cyl_bessel_i0(double x) {
  return graft_host::modified_bessel(0, x);
}
inline double cyl_bessel_i1(double x) {
  return graft_host::modified_bessel(1, x);
}
// CUDA has each function for float under two names: the name with f, and an overload of the double's name.
#define GRAFT_OF_FLOAT(name)                                 \
  inline float name##f(float x) {                            \
    return static_cast<float>(name(static_cast<double>(x))); \
  }                                                          \
  inline float name(float x) {                               \
    return name##f(x);                                       \
  }
GRAFT_OF_FLOAT(erfinv)
GRAFT_OF_FLOAT(erfcinv)
GRAFT_OF_FLOAT(normcdfinv)
GRAFT_OF_FLOAT(erfcx)
GRAFT_OF_FLOAT(cyl_bessel_i0)
GRAFT_OF_FLOAT(cyl_bessel_i1)
#undef GRAFT_OF_FLOAT

// C libraries have Bessel functions of float under the names with f only.
#define GRAFT_OVERLOAD_OF_FLOAT(name) \
  inline float name(float x) {        \
    return name##f(x);                \
  }
GRAFT_OVERLOAD_OF_FLOAT(j0)
GRAFT_OVERLOAD_OF_FLOAT(j1)
GRAFT_OVERLOAD_OF_FLOAT(y0)
GRAFT_OVERLOAD_OF_FLOAT(y1)
GRAFT_OVERLOAD_OF_FLOAT(rcbrt)
#undef GRAFT_OVERLOAD_OF_FLOAT
inline float jn(int order, float x) {
  return jnf(order, x);
}
inline float yn(int order, float x) {
  return ynf(order, x);
}

inline void sincospi(double x, double* s, double* c) {
  *s = sinpi(x);
  *c = cospi(x);
}
inline void sincospif(float x, float* s, float* c) {
  *s = sinpif(x);
  *c = cospif(x);
}
inline void sincospi(float x, float* s, float* c) {
  sincospif(x, s, c);
}

// The norms are nested calls of hypot with two arguments, which treats infinities and NaN as CUDA's norms do. (Some
// libraries divide by the largest of three arguments.) Those of floats are computed in double and rounded once.
inline double norm3d(double x, double y, double z) {
  return std::hypot(std::hypot(x, y), z);
}
inline float norm3df(float x, float y, float z) {
  return static_cast<float>(norm3d(x, y, z));
}
inline double rnorm3d(double x, double y, double z) {
  return 1 / norm3d(x, y, z);
}
inline float rnorm3df(float x, float y, float z) {
  return static_cast<float>(rnorm3d(x, y, z));
}
inline double norm4d(double x, double y, double z, double w) {
  return std::hypot(std::hypot(x, y), std::hypot(z, w));
}
inline float norm4df(float x, float y, float z, float w) {
  return static_cast<float>(norm4d(x, y, z, w));
}
