// Colour spaces: linear RGB with the primaries of sRGB, CIE XYZ, CIE L*a*b*, and Y'CbCr (called YUV in video).
//
//     bytes of sRGB  <->  linear RGB  <->  XYZ (D65)  <->  L*a*b*
//     bytes of sRGB  <->  Y'CbCr of BT.601 or BT.709, full range or video range
//
// Linear RGB and XYZ are in [0, 1] with Y = 1 for white; L* is in [0, 100]. Each standard for Y'CbCr defines two
// weights, those of red and blue, from which its matrix follows. Conversions to and from Y'CbCr compute in float, then
// round to nearest, half up, and limit to 0...255. If the contraction of a * b + c to fma is off
// (FloatingPoint::contraction), the resulting bytes are the same on every machine. Transfer functions are in image.cuh.
//
// References: IEC 61966-2-1:1999 (sRGB, its matrix and white point); CIE 15:2004 (L*a*b*, with the exact constants
// 216/24389 and 24389/27); ITU-R BT.601-7, BT.709-6 (Y'CbCr); JFIF 1.02 (BT.601 in full range).
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

template <class T>
struct LinearRgb {
  T r, g, b;
};
template <class T>
struct Xyz {
  T x, y, z;
};
template <class T>
struct Lab {
  T l, a, b;
};
struct Srgb8 {
  unsigned char r, g, b;
};
struct Yuv8 {
  unsigned char y, u, v;
};

namespace detail {

// The white point D65. Its components are the sums of the rows of the matrix from linear RGB to XYZ.
template <class T>
struct White {
  static constexpr T x = T(0.95047), y = T(1), z = T(1.08883);
};

template <class T>
__device__ T decoded_srgb(T x) {
  return x <= T(0.04045) ? x / T(12.92) : static_cast<T>(pow((x + T(0.055)) / T(1.055), T(2.4)));
}
template <class T>
__device__ T encoded_srgb(T x) {
  return x <= T(0.0031308) ? T(12.92) * x : static_cast<T>(T(1.055) * pow(x, T(1 / 2.4)) - T(0.055));
}

// Rounds x to the nearest integer (half up) and limits it to 0...255; nan gives 0.
__device__ inline unsigned char color_byte(float x) {
  const float nearest = floorf(x + 0.5f);
  return nearest > 0.0f ? static_cast<unsigned char>(nearest < 255.0f ? nearest : 255.0f)
                        : static_cast<unsigned char>(0);
}

// CIE's cube root with a straight line near zero, and its inverse.
template <class T>
__device__ T lab_curve(T t) {
  return t > T(216.0 / 24389) ? static_cast<T>(cbrt(t)) : (T(24389.0 / 27) * t + T(16)) / T(116);
}
template <class T>
__device__ T lab_curve_inverse(T f) {
  const T cube = f * f * f;
  return cube > T(216.0 / 24389) ? cube : (T(116) * f - T(16)) / T(24389.0 / 27);
}

// A standard for Y'CbCr in bytes: the weights of red and blue in the luma, the luma of black, and the number of steps
// from black to white (`luma`) and from the smallest to the largest chroma (`chroma`).
struct YuvStandard {
  float red, blue, black, luma, chroma;
};
__device__ inline Yuv8 yuv_of(Srgb8 p, YuvStandard s) {
  const float r = static_cast<float>(p.r) / 255.0f;
  const float g = static_cast<float>(p.g) / 255.0f;
  const float b = static_cast<float>(p.b) / 255.0f;
  const float y = s.red * r + (1.0f - s.red - s.blue) * g + s.blue * b;
  return {color_byte(s.black + s.luma * y), color_byte(128.0f + s.chroma * (b - y) / (2.0f * (1.0f - s.blue))),
          color_byte(128.0f + s.chroma * (r - y) / (2.0f * (1.0f - s.red)))};
}
__device__ inline Srgb8 rgb_of(Yuv8 p, YuvStandard s) {
  const float y = (static_cast<float>(p.y) - s.black) / s.luma;
  const float u = (static_cast<float>(p.u) - 128.0f) / s.chroma;
  const float v = (static_cast<float>(p.v) - 128.0f) / s.chroma;
  const float r = y + 2.0f * (1.0f - s.red) * v;
  const float b = y + 2.0f * (1.0f - s.blue) * u;
  const float g = (y - s.red * r - s.blue * b) / (1.0f - s.red - s.blue);
  return {color_byte(255.0f * r), color_byte(255.0f * g), color_byte(255.0f * b)};
}

__device__ inline YuvStandard bt601_full() {
  return {0.299f, 0.114f, 0.0f, 255.0f, 255.0f};
}
__device__ inline YuvStandard bt709_video() {
  return {0.2126f, 0.0722f, 16.0f, 219.0f, 224.0f};
}

}  // namespace detail

// Converts a pixel of sRGB bytes to linear RGB. Each component is at most 8 ulp from the exact value.
__device__ inline LinearRgb<float> srgb8_to_linear_rgb(Srgb8 p) {
  return {detail::decoded_srgb(static_cast<float>(p.r) / 255.0f),
          detail::decoded_srgb(static_cast<float>(p.g) / 255.0f),
          detail::decoded_srgb(static_cast<float>(p.b) / 255.0f)};
}

// Converts linear RGB to a pixel of sRGB bytes, rounded half up and limited to 0...255; nan gives 0. Each byte is
// within 0.501 of the exact value.
__device__ inline Srgb8 linear_rgb_to_srgb8(LinearRgb<float> c) {
  return {detail::color_byte(255.0f * detail::encoded_srgb(c.r)),
          detail::color_byte(255.0f * detail::encoded_srgb(c.g)),
          detail::color_byte(255.0f * detail::encoded_srgb(c.b))};
}

// Converts linear RGB to XYZ (D65), by sRGB's matrix.
template <class T>
__device__ Xyz<T> linear_rgb_to_xyz(LinearRgb<T> c) {
  return {T(0.4124564) * c.r + T(0.3575761) * c.g + T(0.1804375) * c.b,
          T(0.2126729) * c.r + T(0.7151522) * c.g + T(0.0721750) * c.b,
          T(0.0193339) * c.r + T(0.1191920) * c.g + T(0.9503041) * c.b};
}

// Converts XYZ (D65) to linear RGB. Colours outside sRGB have components outside [0, 1].
template <class T>
__device__ LinearRgb<T> xyz_to_linear_rgb(Xyz<T> c) {
  return {T(3.2404542) * c.x - T(1.5371385) * c.y - T(0.4985314) * c.z,
          T(-0.9692660) * c.x + T(1.8760108) * c.y + T(0.0415560) * c.z,
          T(0.0556434) * c.x - T(0.2040259) * c.y + T(1.0572252) * c.z};
}

// Converts XYZ to L*a*b* for the white point D65.
template <class T>
__device__ Lab<T> xyz_to_lab(Xyz<T> c) {
  const T x = detail::lab_curve(c.x / detail::White<T>::x);
  const T y = detail::lab_curve(c.y / detail::White<T>::y);
  const T z = detail::lab_curve(c.z / detail::White<T>::z);
  return {T(116) * y - T(16), T(500) * (x - y), T(200) * (y - z)};
}

// Converts L*a*b* to XYZ for the white point D65.
template <class T>
__device__ Xyz<T> lab_to_xyz(Lab<T> c) {
  const T y = (c.l + T(16)) / T(116);
  return {detail::White<T>::x * detail::lab_curve_inverse(y + c.a / T(500)),
          detail::White<T>::y * detail::lab_curve_inverse(y),
          detail::White<T>::z * detail::lab_curve_inverse(y - c.b / T(200))};
}

// Converts linear RGB to L*a*b* (D65), through XYZ.
template <class T>
__device__ Lab<T> linear_rgb_to_lab(LinearRgb<T> c) {
  return xyz_to_lab(linear_rgb_to_xyz(c));
}

// Converts L*a*b* (D65) to linear RGB, through XYZ.
template <class T>
__device__ LinearRgb<T> lab_to_linear_rgb(Lab<T> c) {
  return xyz_to_linear_rgb(lab_to_xyz(c));
}

// Converts sRGB bytes (R'G'B') to Y'CbCr by BT.601 in full range, as JPEG files use it.
__device__ inline Yuv8 srgb8_to_yuv_bt601(Srgb8 p) {
  return detail::yuv_of(p, detail::bt601_full());
}
__device__ inline Srgb8 yuv_bt601_to_srgb8(Yuv8 p) {
  return detail::rgb_of(p, detail::bt601_full());
}

// Converts sRGB bytes (R'G'B') to Y'CbCr by BT.709 in video range (luma 16...235, chroma 16...240), as HD video uses
// it.
__device__ inline Yuv8 srgb8_to_yuv_bt709(Srgb8 p) {
  return detail::yuv_of(p, detail::bt709_video());
}
__device__ inline Srgb8 yuv_bt709_to_srgb8(Yuv8 p) {
  return detail::rgb_of(p, detail::bt709_video());
}

}  // namespace graft::callbacks
