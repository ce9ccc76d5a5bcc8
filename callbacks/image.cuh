// Callbacks for pixels: grey values, transfer functions, transparency.
//
// 8-bit results are computed in integer arithmetic, so they are the same on every machine. Each function says how it
// rounds. For floating-point samples, the stated error bounds hold in [0, 1]; an ulp is a unit in the last place of the
// result. The thresholds of sRGB's formulas (such as 0.04045) are rounded to T.
//
// References: ITU-R BT.601-7 and BT.709-6 (luma weights); IEC 61966-2-1:1999 (sRGB); T. Porter, T. Duff, "Compositing
// digital images", SIGGRAPH 1984 (over, premultiplied alpha).
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

// Pixels of three and four bytes, as most image buffers store them.
struct Rgb8 {
  unsigned char r, g, b;
};
struct alignas(4) Rgba8 {
  unsigned char r, g, b, a;
};

namespace detail {

// Returns the weighted sum of the components, rounded half up. The weights are in units of 1/65536 and add up to 65536,
// so that white stays 255.
__device__ inline unsigned char weighted(Rgb8 pixel, unsigned r, unsigned g, unsigned b) {
  return static_cast<unsigned char>((r * pixel.r + g * pixel.g + b * pixel.b + 32768u) >> 16);
}

// a / b, rounded to the nearest integer (half up) and limited to 255.
__device__ inline unsigned char quotient(unsigned a, unsigned b) {
  const unsigned nearest = (a + b / 2) / b;
  return static_cast<unsigned char>(nearest < 255u ? nearest : 255u);
}

// 255 x, rounded to the nearest integer (half to even) and limited to 0...255; nan gives 0.
template <class T>
__device__ unsigned char to_byte(T x) {
  const T limited = x > T(0) ? (x < T(1) ? x : T(1)) : T(0);
  return static_cast<unsigned char>(rint(T(255) * limited));
}

}  // namespace detail

// Luma of gamma-encoded RGB by BT.601: 0.299 R + 0.587 G + 0.114 B, to the nearest integer (half up). Computed in
// 16-bit fixed point, so the result is within 0.503 of the exact value.
__device__ inline unsigned char gray_bt601(Rgb8 pixel) {
  return detail::weighted(pixel, 19595u, 38470u, 7471u);
}

// Luma of gamma-encoded RGB by BT.709: 0.2126 R + 0.7152 G + 0.0722 B, computed and rounded as in gray_bt601. The
// result is within 0.503 of the exact value.
__device__ inline unsigned char gray_bt709(Rgb8 pixel) {
  return detail::weighted(pixel, 13933u, 46871u, 4732u);
}

template <class T>
struct Gamma {
  T exponent;
};

// x^exponent; negative x gives 0, nan stays nan. Error at most 4 ulp.
template <class T>
__device__ T gamma_correct(T x, const Gamma<T>& gamma) {
  return x < T(0) ? T(0) : static_cast<T>(pow(x, gamma.exponent));
}

// Converts an sRGB-encoded value to linear light: x / 12.92 up to 0.04045, ((x + 0.055) / 1.055)^2.4 above. Negative x
// follows the straight line; nan stays nan. Error at most 8 ulp.
template <class T>
__device__ T srgb_to_linear(T x) {
  return x <= T(0.04045) ? x / T(12.92) : static_cast<T>(pow((x + T(0.055)) / T(1.055), T(2.4)));
}

// Converts linear light to an sRGB-encoded value: 12.92 x up to 0.0031308, 1.055 x^(1/2.4) - 0.055 above. Negative x
// follows the straight line; nan stays nan. Error at most 6 ulp.
template <class T>
__device__ T linear_to_srgb(T x) {
  return x <= T(0.0031308) ? T(12.92) * x : static_cast<T>(T(1.055) * pow(x, T(1 / 2.4)) - T(0.055));
}

// Converts an sRGB byte to linear light in [0, 1]. Error at most 8 ulp.
__device__ inline float srgb8_to_linear(unsigned char x) {
  return srgb_to_linear(static_cast<float>(x) / 255.0f);
}

// Converts linear light to an sRGB byte: rounds half to even and limits to 0...255; nan gives 0. The result is within
// 0.501 of the exact value.
__device__ inline unsigned char linear_to_srgb8(float x) {
  return detail::to_byte(linear_to_srgb(x));
}

// Multiplies colours by alpha: c a / 255 to the nearest integer (ties cannot occur). Converts straight alpha to
// premultiplied alpha.
__device__ inline Rgba8 premultiply(Rgba8 p) {
  return {detail::quotient(p.r * p.a, 255u), detail::quotient(p.g * p.a, 255u), detail::quotient(p.b * p.a, 255u), p.a};
}

// Divides colours by alpha: 255 c / a to the nearest integer (half up), limited to 255. If alpha is 0, all components
// of the result are 0.
__device__ inline Rgba8 unpremultiply(Rgba8 p) {
  if (p.a == 0) return {0, 0, 0, 0};
  return {detail::quotient(255u * p.r, p.a), detail::quotient(255u * p.g, p.a), detail::quotient(255u * p.b, p.a), p.a};
}

// Blends `top` over `bottom`, with straight alpha (Porter and Duff's operator "over"; t and b stand for top and
// bottom): A = at + ab (1 - at), C = (ct at + cb ab (1 - at)) / A, each rounded once to the nearest integer (half up)
// from the exact quotient. If A is 0, all components are 0. The function blends the encoded values, not linear light.
__device__ inline Rgba8 alpha_blend(Rgba8 top, Rgba8 bottom) {
  const unsigned t = 255u * top.a;  // t, b and their sum are weights in units of 1/65025
  const unsigned b = (255u - top.a) * bottom.a;
  const unsigned alpha = t + b;
  if (alpha == 0) return {0, 0, 0, 0};
  return {detail::quotient(t * top.r + b * bottom.r, alpha), detail::quotient(t * top.g + b * bottom.g, alpha),
          detail::quotient(t * top.b + b * bottom.b, alpha), detail::quotient(alpha, 255u)};
}

}  // namespace graft::callbacks
