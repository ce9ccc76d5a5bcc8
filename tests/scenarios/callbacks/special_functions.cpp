// Special functions of mathematics: CUDA's own, and series and recurrences as people write them. The references are
// those of the C++ standard library, or definitions by a sum or an equation.
#include <cmath>
#include <limits>
#include <numbers>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

// Solves f(x) = y for an increasing f on [low, high].
template <class F>
double solve(F f, double y, double low, double high) {
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    (f(middle) < y ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

struct Degree {
  int n;
};

}  // namespace

void add_special_functions(Table& table) {
  table.begin_kind("Special functions");

  table.add(
      "erf_of_a_difference", "double(double, double)", R"(
__device__ double erf_of_a_difference(double a, double b) { return erf(b) - erf(a); })",
      from(doubles(-3, 3), doubles(-3, 3)), [](double a, double b) { return std::erfc(a) - std::erfc(b); },
      within(1e-14));

  table.add(
      "inverse_erf", "double(double)", "__device__ double inverse_erf(double y) { return erfinv(y); }",
      from(doubles(-0.99, 0.99)), [](double y) { return solve([](double x) { return std::erf(x); }, y, -4, 4); },
      within(1e-13));

  table.add(
      "normal_quantile", "float(float)", "__device__ float normal_quantile(float p) { return normcdfinvf(p); }",
      from(reals(0.001, 0.999)),
      [](double p) {
        return static_cast<float>(solve([](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }, p, -6, 6));
      },
      within(4e-6));

  table.add(
      "log_gamma", "float(float)", "__device__ float log_gamma(float x) { return lgammaf(x); }", from(reals(0.1, 30)),
      [](double x) { return static_cast<float>(std::log(std::tgamma(x))); }, within(5e-6));

  table.add(
      "log_binomial", "double(double, double)", R"(
__device__ double log_binomial(double n, double k) { return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1); })",
      from(integers<double>(20, 40), integers<double>(0, 20)),
      [](double n, double k) {
        double product = 1;
        for (int i = 1; i <= k; ++i) product *= (n - k + i) / i;
        return std::log(product);
      },
      within(1e-12));

  table.add(
      "beta_function", "float(float, float)", R"(
__device__ float beta_function(float a, float b) { return expf(lgammaf(a) + lgammaf(b) - lgammaf(a + b)); })",
      from(reals(0.2, 6), reals(0.2, 6)), [](double a, double b) { return static_cast<float>(std::beta(a, b)); },
      within(4e-5));

  table
      .add(
          "bessel_of_any_order", "double(double, const Degree&)", R"(
struct Degree { int n; };
__device__ double bessel(double x, const Degree& d) { return jn(d.n, x); })",
          from(doubles(0.5, 20)), [](double x) { return std::cyl_bessel_j(4, x); }, within(1e-11))
      .state(Degree{4});

  table.add(
      "modified_bessel_by_cuda", "float(float)",
      "__device__ float scaled(float x) { return cyl_bessel_i0f(x) + cyl_bessel_i1f(x); }", from(reals(0, 8)),
      [](double x) { return static_cast<float>(std::cyl_bessel_i(0.0, x) + std::cyl_bessel_i(1.0, x)); }, within(5e-6));

  table.add(
      "zeta_by_euler_maclaurin", "double(double)", R"(
__device__ double zeta(double s) {
  constexpr int terms = 12;
  double sum = 0;
  for (int k = 1; k < terms; ++k) sum += pow(double(k), -s);
  const double n = terms, p = pow(n, -s);
  sum += p * (n / (s - 1) + 0.5);
  sum += s * p / (12 * n) - s * (s + 1) * (s + 2) * p / (720 * n * n * n);
  sum += s * (s + 1) * (s + 2) * (s + 3) * (s + 4) * p / (30240 * n * n * n * n * n);
  return sum;
})",
      from(doubles(1.2, 12)), [](double s) { return std::riemann_zeta(s); }, within(1e-9));

  table.add(
      "trigamma", "double(double)", R"(
__device__ double trigamma(double x) {
  double sum = 0;
  for (; x < 12; x += 1) sum += 1 / (x * x);
  const double y = 1 / (x * x);
  return sum + 1 / x + 0.5 * y + y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y / 30)));
})",
      from(doubles(0.2, 9)),
      [](double x) {  // the sum over 1 / (x + k)^2, with the rest as an integral
        long double sum = 0;
        constexpr int n = 5000;
        for (int k = 0; k < n; ++k) sum += 1 / ((x + k) * static_cast<long double>(x + k));
        return static_cast<double>(sum + 1 / (x + n - 0.5L));
      },
      within(1e-10));

  table.add(
      "logit", "float(float)", "__device__ float logit(float p) { return logf(p) - log1pf(-p); }",
      from(reals(0.001, 0.999)), [](double p) { return static_cast<float>(2 * std::atanh(2 * p - 1)); }, within(2e-6));

  table.add(
      "log_add_exp", "double(double, double)", R"(
__device__ double log_add_exp(double a, double b) {
  const double high = fmax(a, b), low = fmin(a, b);
  return high + log1p(exp(low - high));
})",
      from(doubles(-50, 50), doubles(-50, 50)),
      [](double a, double b) {
        return static_cast<double>(
            std::log(std::exp(static_cast<long double>(a)) + std::exp(static_cast<long double>(b))));
      },
      within(1e-14));

  table.add(
      "x_log_y", "float(float, float)", R"(
__device__ float x_log_y(float x, float y) { return x == 0.0f ? 0.0f : x * logf(y); })",
      from(integers<float>(0, 4), integers<float>(0, 9)),
      [](double x, double y) { return static_cast<float>(x == 0 ? 0 : x * std::log(y)); }, within(2e-6));

  table.add(
      "cardinal_sine", "float(float)", R"(
__device__ float cardinal_sine(float x) { return x == 0.0f ? 1.0f : sinpif(x) / (3.14159265f * x); })",
      from(reals(-20, 20)),
      [](double x) { return static_cast<float>(x == 0 ? 1 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x)); },
      within(4e-6, 4e-7));

  table.add(
      "exponential_integral", "double(double)", R"(
// E1(x), by its continued fraction (Lentz).
__device__ double e1(double x) {
  double b = x + 1, c = 1e300, d = 1 / b, h = d;
  for (int i = 1; i <= 200; ++i) {
    const double a = -double(i) * i;
    b += 2;
    d = 1 / (a * d + b);
    c = b + a / c;
    const double change = c * d;
    h *= change;
    if (fabs(change - 1) < 1e-15) break;
  }
  return h * exp(-x);
})",
      from(doubles(1, 20)), [](double x) { return -std::expint(-x); }, within(1e-11, 1e-20));

  table
      .add(
          "legendre_polynomial", "double(double, const Degree&)", R"(
struct Degree { int n; };
__device__ double legendre(double x, const Degree& degree) {
  double before = 1, p = x;
  for (int k = 2; k <= degree.n; ++k) {
    const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
    before = p;
    p = next;
  }
  return degree.n == 0 ? 1 : p;
})",
          from(doubles(-1, 1)), [](double x) { return std::legendre(7, x); }, within(1e-12))
      .state(Degree{7});

  table
      .add(
          "hermite_polynomial", "double(double, const Degree&)", R"(
struct Degree { int n; };
__device__ double hermite(double x, const Degree& degree) {
  double h0 = 1, h1 = 2 * x;
  if (degree.n == 0) return h0;
  for (int k = 1; k < degree.n; k++) { double h2 = 2 * x * h1 - 2 * k * h0; h0 = h1; h1 = h2; }
  return h1;
})",
          from(doubles(-2, 2)), [](double x) { return std::hermite(5, x); }, within(1e-12, 1e-10))
      .state(Degree{5});

  table
      .add(
          "chebyshev_polynomial", "float(float, const unsigned int&)", R"(
__device__ float chebyshev(float x, const unsigned& n) {
  float a = 1, b = x;
  for (unsigned k = 0; k < n; ++k) { const float c = 2 * x * b - a; a = b; b = c; }
  return a;
})",
          from(reals(-1, 1)), [](double x) { return static_cast<float>(std::cos(6 * std::acos(x))); }, within(0, 2e-5))
      .state(6u);

  table.add(
      "elliptic_integral_by_mean", "double(double)", R"(
// K(k) = pi / (2 agm(1, sqrt(1 - k^2)))
__device__ double elliptic(double k) {
  double a = 1, g = sqrt(1 - k * k);
  while (fabs(a - g) > 1e-15 * a) {
    const double mean = 0.5 * (a + g);
    g = sqrt(a * g);
    if (mean == a) break;
    a = mean;
  }
  return 1.57079632679489661923 / a;
})",
      from(doubles(0, 0.99)), [](double k) { return std::comp_ellint_1(k); }, within(1e-12));

  table.add(
      "lambert_w", "double(double)", R"(
__device__ double lambert_w(double x) {
  double w = x < 1 ? x : log(x);
  for (int i = 0; i < 30; ++i) {
    const double e = exp(w), f = w * e - x;
    const double step = f / (e * (w + 1) - (w + 2) * f / (2 * w + 2));
    w -= step;
    if (fabs(step) <= 1e-15 * fabs(w)) break;
  }
  return w;
})",
      from(doubles(0, 50)), [](double x) { return solve([](double w) { return w * std::exp(w); }, x, 0, 5); },
      within(1e-12));
}

}  // namespace graft::test::table
