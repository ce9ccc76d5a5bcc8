// Narrow numbers: saturating casts, 4-bit integers and 8-bit floating-point numbers.
//
//     saturate<To, From>     a number to the integer To, rounded to nearest (half to even) and limited to To's range
//     int4                   two signed or unsigned 4-bit integers in one byte; the first is in the low half
//     fp8                    E4M3 (4 exponent bits, largest 448, no infinity) and E5M2 (5 exponent bits, largest 57344)
//
// The conversions to fp8 round to nearest, half to even, and are computed in integers, so they are the same on every
// machine and need no header of NVIDIA's. A value that does not fit into the format, also an infinity, becomes the
// largest finite number of the same sign, as with CUDA's __NV_SATFINITE. nan becomes the format's nan, with the sign
// bit cleared.
//
// References: P. Micikevicius et al., "FP8 formats for deep learning", 2022, arXiv:2209.05433; IEEE 754-2019.
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

namespace detail {

template <class To>
struct IntegerRange {
  static constexpr bool is_signed = To(-1) < To(0);
  static constexpr int bits = static_cast<int>(sizeof(To)) * 8;
  static constexpr long long highest = (1ll << (bits - (is_signed ? 1 : 0))) - 1;
  static constexpr long long lowest = is_signed ? -highest - 1 : 0;
};

// bits_of returns the bits of a float, and float_of the float with these bits.
__device__ inline unsigned int bits_of(float x) {
#ifdef __CUDA_ARCH__
  return __float_as_uint(x);
#else
  unsigned int bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
#endif
}
__device__ inline float float_of(unsigned int bits) {
#ifdef __CUDA_ARCH__
  return __uint_as_float(bits);
#else
  float x;
  __builtin_memcpy(&x, &bits, sizeof x);
  return x;
#endif
}

// An 8-bit floating-point format: Fraction is the number of bits of the fraction, Bias the bias of the exponent, and
// Largest and Nan are the codes of the largest finite number and of nan.
template <int Fraction, int Bias, unsigned int Largest, unsigned int Nan>
struct Fp8 {
  __device__ static unsigned char encode(float x) {
    const unsigned int bits = bits_of(x);
    const unsigned int sign = bits >> 24 & 0x80u;
    const unsigned int magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) return Nan;
    // The smallest normal number is 2^(1 - Bias). Smaller numbers are subnormal: multiples of 2^(1 - Bias - Fraction).
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    unsigned int code;
    if (exponent < -Bias - Fraction) {
      code = 0;  // less than half of the smallest subnormal number
    } else if (exponent < 1 - Bias) {
      const unsigned int significand = (magnitude & 0x7fffffu) | 0x800000u;
      code = rounded(significand, 23 - Fraction + (1 - Bias - exponent));
    } else {
      const unsigned int rebiased = magnitude - (static_cast<unsigned int>(127 - Bias) << 23);
      code = rounded(rebiased, 23 - Fraction);
    }
    return static_cast<unsigned char>(sign | (code > Largest ? Largest : code));
  }

  __device__ static float decode(unsigned char code) {
    const unsigned int sign = (code & 0x80u) << 24;
    const unsigned int magnitude = code & 0x7fu;
    if (magnitude > Largest) return is_infinity(magnitude) ? float_of(sign | 0x7f800000u) : float_of(0x7fc00000u);
    const unsigned int exponent = magnitude >> Fraction;
    const unsigned int fraction = magnitude & ((1u << Fraction) - 1);
    // A subnormal number is its fraction times 2^(1 - Bias - Fraction), which is a normal float.
    if (exponent == 0) {
      const float value =
          static_cast<float>(fraction) * float_of(static_cast<unsigned int>(128 - Bias - Fraction) << 23);
      return sign != 0 ? -value : value;
    }
    return float_of(sign | (exponent + 127 - Bias) << 23 | fraction << (23 - Fraction));
  }

 private:
  // Returns bits / 2^shift, rounded to the nearest integer (half to even).
  __device__ static unsigned int rounded(unsigned int bits, int shift) {
    if (shift > 24) return 0;
    const unsigned int half = 1u << (shift - 1);
    const unsigned int is_odd = bits >> shift & 1u;
    return (bits + half - 1 + is_odd) >> shift;
  }
  __device__ static bool is_infinity(unsigned int magnitude) { return Fraction == 2 && magnitude == 0x7cu; }
};
using E4m3 = Fp8<3, 7, 0x7eu, 0x7fu>;
using E5m2 = Fp8<2, 15, 0x7bu, 0x7fu>;

}  // namespace detail

// Converts x from the floating-point type From to the integer type To (up to 32 bits): rounds half to even and limits
// to To's range; nan gives 0.
template <class To, class From>
__device__ To saturate(From x) {
  using Range = detail::IntegerRange<To>;
  const From nearest = static_cast<From>(rint(x));
  if (!(nearest > static_cast<From>(Range::lowest))) return x == x ? static_cast<To>(Range::lowest) : To(0);
  return nearest < static_cast<From>(Range::highest) ? static_cast<To>(nearest) : static_cast<To>(Range::highest);
}

// Converts x from the integer type From to the integer type To (both up to 32 bits), and limits it to To's range.
template <class To, class From>
__device__ To saturate_integer(From x) {
  using Range = detail::IntegerRange<To>;
  const long long v = static_cast<long long>(x);
  return static_cast<To>(v < Range::lowest ? Range::lowest : v > Range::highest ? Range::highest : v);
}

// Packs two integers into one byte as signed 4-bit integers, each limited to -8...7. unpack_int4 is the inverse.
__device__ inline unsigned char pack_int4(signed char low, signed char high) {
  const int a = low < -8 ? -8 : low > 7 ? 7 : low;
  const int b = high < -8 ? -8 : high > 7 ? 7 : high;
  return static_cast<unsigned char>((a & 15) | (b & 15) << 4);
}
__device__ inline void unpack_int4(unsigned char packed, signed char& low, signed char& high) {
  low = static_cast<signed char>(static_cast<signed char>(packed << 4) >> 4);
  high = static_cast<signed char>(static_cast<signed char>(packed) >> 4);
}

// Packs two integers into one byte as unsigned 4-bit integers, each limited to 0...15. unpack_uint4 is the inverse.
__device__ inline unsigned char pack_uint4(unsigned char low, unsigned char high) {
  return static_cast<unsigned char>((low < 15 ? low : 15) | (high < 15 ? high : 15) << 4);
}
__device__ inline void unpack_uint4(unsigned char packed, unsigned char& low, unsigned char& high) {
  low = packed & 15;
  high = packed >> 4;
}

// The state of quantize_int4, which quantises two floats to signed 4-bit integers q = x / scale (rounded half to even
// and limited to -8...7; nan gives 0), and of dequantize_int4, which returns scale q.
struct Int4Scale {
  float scale;
};
__device__ inline unsigned char quantize_int4(float low, float high, const Int4Scale& to) {
  return pack_int4(saturate<signed char>(low / to.scale), saturate<signed char>(high / to.scale));
}
__device__ inline void dequantize_int4(unsigned char packed, float& low, float& high, const Int4Scale& from) {
  signed char a, b;
  unpack_int4(packed, a, b);
  low = from.scale * static_cast<float>(a);
  high = from.scale * static_cast<float>(b);
}

// Convert a float to E4M3 and back. The conversion to float is exact.
__device__ inline unsigned char float_to_e4m3(float x) {
  return detail::E4m3::encode(x);
}
__device__ inline float e4m3_to_float(unsigned char code) {
  return detail::E4m3::decode(code);
}

// Convert a float to E5M2 and back. The conversion to float is exact, and infinities and nan stay.
__device__ inline unsigned char float_to_e5m2(float x) {
  return detail::E5m2::encode(x);
}
__device__ inline float e5m2_to_float(unsigned char code) {
  return detail::E5m2::decode(code);
}

// Packs four bytes into one 32-bit word, the first in the lowest byte: for example four fp8 numbers, as matrix units
// load them. unpack_bytes is the inverse.
__device__ inline unsigned int pack_bytes(unsigned char a, unsigned char b, unsigned char c, unsigned char d) {
  return a | static_cast<unsigned int>(b) << 8 | static_cast<unsigned int>(c) << 16 |
         static_cast<unsigned int>(d) << 24;
}
__device__ inline void unpack_bytes(unsigned int word, unsigned char& a, unsigned char& b, unsigned char& c,
                                    unsigned char& d) {
  a = static_cast<unsigned char>(word);
  b = static_cast<unsigned char>(word >> 8);
  c = static_cast<unsigned char>(word >> 16);
  d = static_cast<unsigned char>(word >> 24);
}

}  // namespace graft::callbacks
