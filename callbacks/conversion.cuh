// Conversions between number formats: half, bfloat16, and affine 8-bit quantisation.
//
// Quantisation maps the real x to the integer q with x = scale (q - zero_point):
//
//     quantize    q = saturate(round(x / scale) + zero_point)         dequantize    x = (q - zero_point) scale
//
// The quotient x / scale is computed in float and then rounded to the nearest integer, ties to even. The quotient's
// rounding error is at most 2^-24 of its value. If x / scale is closer than this error to a half-integer, q can differ
// from the exact result by 1; otherwise q is the exact result. The caller must ensure that scale > 0 and that
// zero_point is a value of Q.
//
// References: IEEE 754-2019 (binary16, roundTiesToEven); ONNX operators QuantizeLinear and DequantizeLinear; B. Jacob
// et al., "Quantization and training of neural networks for efficient integer-arithmetic-only inference", CVPR 2018.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <graft/device.h>

namespace graft::callbacks {

// Converts to half, rounding to nearest, ties to even. Magnitudes of at least 65,520 give inf, and magnitudes below
// 2^-25 give zero; nan stays nan.
__device__ inline __half float_to_half(float x) {
  return __float2half_rn(x);
}

// Converts from half to float. The result is exact.
__device__ inline float half_to_float(__half x) {
  return __half2float(x);
}

// Converts to bfloat16, rounding to nearest, ties to even. Magnitudes above the largest finite value plus half a step
// give inf; nan stays nan.
__device__ inline __nv_bfloat16 float_to_bfloat16(float x) {
  return __float2bfloat16_rn(x);
}

// Converts from bfloat16 to float. The result is exact.
__device__ inline float bfloat16_to_float(__nv_bfloat16 x) {
  return __bfloat162float(x);
}

// The same for complex numbers.
__device__ inline graft::complex<__half> complex_to_half(graft::complex<float> z) {
  return {__float2half_rn(z.re), __float2half_rn(z.im)};
}
__device__ inline graft::complex<float> half_to_complex(graft::complex<__half> z) {
  return {__half2float(z.re), __half2float(z.im)};
}
__device__ inline graft::complex<__nv_bfloat16> complex_to_bfloat16(graft::complex<float> z) {
  return {__float2bfloat16_rn(z.re), __float2bfloat16_rn(z.im)};
}
__device__ inline graft::complex<float> bfloat16_to_complex(graft::complex<__nv_bfloat16> z) {
  return {__bfloat162float(z.re), __bfloat162float(z.im)};
}

struct Quantization {
  float scale;
  int zero_point;
};

// Quantises x to an 8-bit integer Q (signed char or unsigned char) by the formula at the top of this file. inf and
// out-of-range values saturate; nan gives zero_point.
template <class Q>
__device__ Q quantize(float x, const Quantization& to) {
  constexpr int lowest = Q(-1) < Q(0) ? -128 : 0;
  const float steps = rintf(x / to.scale);
  const float q = (steps == steps ? steps : 0.0f) + static_cast<float>(to.zero_point);
  const float limited = q < lowest ? lowest : q > lowest + 255 ? lowest + 255 : q;
  return static_cast<Q>(static_cast<int>(limited));
}

// Converts q back to float. The error is at most 0.5 ulp, because the difference q - zero_point is exact.
template <class Q>
__device__ float dequantize(Q q, const Quantization& from) {
  return static_cast<float>(static_cast<int>(q) - from.zero_point) * from.scale;
}

}  // namespace graft::callbacks
