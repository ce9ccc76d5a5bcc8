// Complex numbers as graft::complex, float2, double2 and cuda::std::complex. The references use std::complex<double>.
#include <cmath>
#include <complex>
#include <numbers>

#include "scenarios/callbacks/table.hpp"

namespace graft::test::table {
namespace {

using Single = std::complex<float>;
using Double = std::complex<double>;

auto singles(double low, double high) {
  return [=](Random& random) {
    const float re = reals(low, high)(random), im = reals(low, high)(random);
    return Single(re, im);
  };
}
auto complexes(double low, double high) {
  return [=](Random& random) {
    const double re = doubles(low, high)(random), im = doubles(low, high)(random);
    return Double(re, im);
  };
}

struct Mobius {
  Double a, b, c, d;
};
struct Chirp {
  double start, rate;
};

}  // namespace

void add_complex_numbers(Table& table) {
  table.begin_kind("Complex numbers");

  table.add(
      "complex_multiply_add",
      "graft::complex<float>(graft::complex<float>, graft::complex<float>, graft::complex<float>)", R"(
using C = graft::complex<float>;
__device__ C multiply_add(C a, C b, C c) { return a * b + c; })",
      from(singles(-2, 2), singles(-2, 2), singles(-2, 2)),
      [](Single a, Single b, Single c) { return Single(Double(a) * Double(b) + Double(c)); }, within(0, 4e-6));

  table
      .add("escape_time", "int(graft::complex<double>, const int&)", R"(
__device__ int escape_time(graft::complex<double> c, const int& limit) {
  graft::complex<double> z = 0;
  int n = 0;
  while (n < limit && norm(z) <= 4) {
    z = {z.re * z.re - z.im * z.im + c.re, 2 * z.re * z.im + c.im};
    ++n;
  }
  return n;
})",
           from([](Random& random) {  // numbers of few bits, whose first iterations are exact
             const auto part = integers<double>(-64, 64);
             const double re = part(random) / 32, im = part(random) / 32;
             return Double(re, im);
           }),
           [](Double c) {
             Double z = 0;
             int n = 0;
             for (; n < 3 && std::norm(z) <= 4; ++n) z = z * z + c;
             return n;
           })
      .state(3);

  table
      .add(
          "mobius_map", "double2(double2, const Mobius&)", R"(
struct Mobius { double2 a, b, c, d; };
__device__ double2 times(double2 x, double2 y) { return {x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x}; }
__device__ double2 plus(double2 x, double2 y) { return {x.x + y.x, x.y + y.y}; }
__device__ double2 mobius(double2 z, const Mobius& m) {
  const double2 top = plus(times(m.a, z), m.b), bottom = plus(times(m.c, z), m.d);
  const double scale = 1 / (bottom.x * bottom.x + bottom.y * bottom.y);
  return times(top, make_double2(bottom.x * scale, -bottom.y * scale));
})",
          from(complexes(0.5, 2)),
          [](Double z) { return (Double(1, 2) * z + Double(0, -1)) / (Double(0.5, 0) * z + Double(2, 1)); },
          within(0, 1e-13))
      .entry("mobius")
      .state(Mobius{{1, 2}, {0, -1}, {0.5, 0}, {2, 1}});

  table.add(
      "complex_exponential", "graft::complex<float>(graft::complex<float>)", R"(
__device__ graft::complex<float> exponential(graft::complex<float> z) {
  float s, c;
  sincosf(z.imag(), &s, &c);
  const float r = expf(z.real());
  return {r * c, r * s};
})",
      from(singles(-3, 3)), [](Single z) { return Single(std::exp(Double(z))); }, within(0, 2e-5));

  table
      .add(
          "float2_rotation", "float2(float2, const float&)", R"(
__device__ float2 rotate(float2 z, const float& angle) {
  const float c = cosf(angle), s = sinf(angle);
  return make_float2(c * z.x - s * z.y, s * z.x + c * z.y);
})",
          from(singles(-5, 5)), [](Single z) { return Single(Double(z) * std::polar(1.0, 0.75)); }, within(0, 4e-6))
      .state(0.75f);

  table
      .add(
          "square_root_by_cccl", "cuda::std::complex<float>(cuda::std::complex<float>)", R"(
#include <cuda/std/complex>
__device__ cuda::std::complex<float> root(cuda::std::complex<float> z) { return cuda::std::sqrt(z); })",
          from(singles(-9, 9)), [](Single z) { return Single(std::sqrt(Double(z))); }, within(0, 8e-6))
      .refused({{Route::Host}, ErrorCode::CompileFailed, "cuda/std/complex", "include_paths"});

  table
      .add(
          "division_by_cccl", "cuda::std::complex<double>(cuda::std::complex<double>, cuda::std::complex<double>)", R"(
#include <cuda/std/complex>
using Z = cuda::std::complex<double>;
__device__ Z divide(Z a, Z b) { return a / b + Z(0, 1); })",
          from(complexes(-3, 3), complexes(1, 2)), [](Double a, Double b) { return a / b + Double(0, 1); },
          within(0, 1e-13))
      .refused({{Route::Host}, ErrorCode::CompileFailed, "cuda/std/complex", "include_paths"});

  table
      .add(
          "magnitude_by_thrust", "float(thrust::complex<float>)", R"(
#include <thrust/complex.h>
__device__ float magnitude(thrust::complex<float> z) { return thrust::abs(z); })",
          from(singles(-9, 9)), [](Single z) { return static_cast<float>(std::abs(Double(z))); }, within(2e-6))
      .refused({{Route::Lto, Route::Program, Route::Ptx, Route::Indirect},
                ErrorCode::CompileFailed,
                "thrust/complex.h",
                "cuda::std::complex"})
      .refused({{Route::Host}, ErrorCode::CompileFailed, "thrust/complex.h", "include_paths"});

  table
      .add(
          "chirp", "double2(graft::Index, const Chirp&)", R"(
struct Chirp { double start, rate; };
__device__ double2 chirp(graft::Index i, const Chirp& c) {
  const double turns = i * (c.start + 0.5 * c.rate * i);
  double2 z;
  sincospi(2 * (turns - floor(turns)), &z.y, &z.x);
  return z;
})",
          from(),
          [](Index i) {
            const auto n = static_cast<double>(i.value);
            return std::polar(1.0, 2 * std::numbers::pi * std::fmod(n * (0.125 + 0.5 * 0.0009765625 * n), 1.0));
          },
          within(0, 1e-12))
      .state(Chirp{0.125, 0.0009765625});

  table.add(
      "joukowski_map", "graft::complex<double>(graft::complex<double>)", R"(
__device__ graft::complex<double> joukowski(graft::complex<double> z) {
  auto w = graft::conj(z);
  w /= norm(z);
  return w += z;
})",
      from(complexes(0.5, 3)), [](Double z) { return z + 1.0 / z; }, within(0, 1e-14));

  table.add(
      "phase_difference", "float(float2, float2)", R"(
__device__ float phase_difference(float2 a, float2 b) {
  return atan2f(a.y * b.x - a.x * b.y, a.x * b.x + a.y * b.y);
})",
      from(singles(0.5, 2), singles(0.5, 2)),
      [](Single a, Single b) { return static_cast<float>(std::arg(Double(a)) - std::arg(Double(b))); },
      within(0, 2e-6));

  table.add(
      "complex_half_scaled", "graft::complex<__half>(graft::complex<__half>, float)", R"(
#include <cuda_fp16.h>
__device__ graft::complex<__half> scaled(graft::complex<__half> z, float s) {
  return {__float2half(s * __half2float(z.re)), __float2half(s * __half2float(z.im))};
})",
      from([](Random& random) { return complex<__half>(halves(-4, 4)(random), halves(-4, 4)(random)); }, reals(-2, 2)),
      [](complex<__half> z, float s) {
        return complex<__half>(__float2half(s * __half2float(z.re)), __float2half(s * __half2float(z.im)));
      });
}

}  // namespace graft::test::table
