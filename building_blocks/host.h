// The host route's prelude, which lets a C++ compiler compile a CUDA callback. This file is included before all other
// text, because it replaces the declarations that nvcc and NVRTC have built in. It
//
//   * defines CUDA's keywords (__device__, ...) as empty macros,
//   * defines CUDA's vector types with their device alignments,
//   * defines those device functions that callbacks commonly call and that no C library has,
//   * defines GRAFT_HOST, with which the adapter leaves out the kernel. The loop in elementwise/host_loop.h
//     calls the callback instead.
#pragma once
#define GRAFT_HOST

// The macros below rename functions of the C library while its headers are read, so that these names are free. A
// callback may define gamma, index, random, select or significand itself; a callback called `select` would otherwise
// overload the library's function. rsqrt, sinpi and cospi, which only newer C libraries have, are defined by graft.
#define gamma graft_system_gamma
#define index graft_system_index
#define random graft_system_random
#define select graft_system_select
#define significand graft_system_significand
#define rsqrt graft_system_rsqrt
#define sinpi graft_system_sinpi
#define cospi graft_system_cospi
// glibc declares these three with the attributes of their vector variants, which macros with the functions' names hold.
#define __DECL_SIMD_graft_system_rsqrt
#define __DECL_SIMD_graft_system_rsqrtf
#define __DECL_SIMD_graft_system_rsqrtl
#define __DECL_SIMD_graft_system_rsqrtf16
#define __DECL_SIMD_graft_system_rsqrtf32
#define __DECL_SIMD_graft_system_rsqrtf64
#define __DECL_SIMD_graft_system_rsqrtf128
#define __DECL_SIMD_graft_system_rsqrtf32x
#define __DECL_SIMD_graft_system_rsqrtf64x
#define __DECL_SIMD_graft_system_rsqrtf128x
#define __DECL_SIMD_graft_system_sinpi
#define __DECL_SIMD_graft_system_sinpif
#define __DECL_SIMD_graft_system_sinpil
#define __DECL_SIMD_graft_system_sinpif16
#define __DECL_SIMD_graft_system_sinpif32
#define __DECL_SIMD_graft_system_sinpif64
#define __DECL_SIMD_graft_system_sinpif128
#define __DECL_SIMD_graft_system_sinpif32x
#define __DECL_SIMD_graft_system_sinpif64x
#define __DECL_SIMD_graft_system_sinpif128x
#define __DECL_SIMD_graft_system_cospi
#define __DECL_SIMD_graft_system_cospif
#define __DECL_SIMD_graft_system_cospil
#define __DECL_SIMD_graft_system_cospif16
#define __DECL_SIMD_graft_system_cospif32
#define __DECL_SIMD_graft_system_cospif64
#define __DECL_SIMD_graft_system_cospif128
#define __DECL_SIMD_graft_system_cospif32x
#define __DECL_SIMD_graft_system_cospif64x
#define __DECL_SIMD_graft_system_cospif128x
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <typeinfo>
#undef gamma
#undef index
#undef random
#undef select
#undef significand
#undef rsqrt
#undef sinpi
#undef cospi

// CUDA's functions that classify a number return an int, and those of C++ a bool.
#define GRAFT_CLASSIFY(name)                 \
  namespace std {                            \
  template <class graft_t>                   \
  inline int graft_##name(graft_t graft_x) { \
    return name(graft_x) ? 1 : 0;            \
  }                                          \
  }                                          \
  using std::graft_##name;
GRAFT_CLASSIFY(isfinite)
GRAFT_CLASSIFY(isinf)
GRAFT_CLASSIFY(isnan)
GRAFT_CLASSIFY(signbit)
#undef GRAFT_CLASSIFY
#define isfinite graft_isfinite
#define isinf graft_isinf
#define isnan graft_isnan
#define signbit graft_signbit

// CUDA's keywords are empty macros here. They do not become attributes, because the C++ library's headers use these
// names in their own attributes. __forceinline__ does not become `inline`, because legal CUDA such as `__forceinline__
// inline` would become `inline inline`.
#define __host__
#define __device__
#define __global__
#define __constant__
#define __managed__
#define __forceinline__
#define __noinline__
#define __grid_constant__
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))

// ---- types ----

// Defines the include guards of the toolkit's headers for vector types and rounding modes, so that a callback that
// includes these headers, as cuda_fp8.h does, gets the definitions below instead. The headers would define the keywords
// again, and include the whole CUDA runtime.
#define __DEVICE_TYPES_H__
#define __NV_SILENCE_DEPRECATION_BEGIN
#define __NV_SILENCE_DEPRECATION_END
#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __VECTOR_FUNCTIONS_HPP__

#define GRAFT_VECTOR_4(name, type, alignment)               \
  struct alignas(alignment) name {                          \
    type x, y, z, w;                                        \
  };                                                        \
  inline name make_##name(type x, type y, type z, type w) { \
    return {x, y, z, w};                                    \
  }
#define GRAFT_VECTORS(name, type, alignment_of_2, alignment_of_4) \
  struct name##1 {                                                \
    type x;                                                       \
  };                                                              \
  struct alignas(alignment_of_2) name##2 {                        \
    type x, y;                                                    \
  };                                                              \
  struct name##3 {                                                \
    type x, y, z;                                                 \
  };                                                              \
  inline name##1 make_##name##1(type x) {                         \
    return {x};                                                   \
  }                                                               \
  inline name##2 make_##name##2(type x, type y) {                 \
    return {x, y};                                                \
  }                                                               \
  inline name##3 make_##name##3(type x, type y, type z) {         \
    return {x, y, z};                                             \
  }                                                               \
  GRAFT_VECTOR_4(name##4, type, alignment_of_4)

GRAFT_VECTORS(char, signed char, 2, 4)
GRAFT_VECTORS(uchar, unsigned char, 2, 4)
GRAFT_VECTORS(short, short, 4, 8)
GRAFT_VECTORS(ushort, unsigned short, 4, 8)
GRAFT_VECTORS(int, int, 8, 16)
GRAFT_VECTORS(uint, unsigned int, 8, 16)
GRAFT_VECTORS(long, long, 16, 16)
GRAFT_VECTORS(ulong, unsigned long, 16, 16)
GRAFT_VECTORS(longlong, long long, 16, 16)
GRAFT_VECTORS(ulonglong, unsigned long long, 16, 16)
GRAFT_VECTORS(float, float, 8, 16)
GRAFT_VECTORS(double, double, 16, 16)
GRAFT_VECTOR_4(long4_16a, long, 16)
GRAFT_VECTOR_4(long4_32a, long, 32)
GRAFT_VECTOR_4(ulong4_16a, unsigned long, 16)
GRAFT_VECTOR_4(ulong4_32a, unsigned long, 32)
GRAFT_VECTOR_4(longlong4_16a, long long, 16)
GRAFT_VECTOR_4(longlong4_32a, long long, 32)
GRAFT_VECTOR_4(ulonglong4_16a, unsigned long long, 16)
GRAFT_VECTOR_4(ulonglong4_32a, unsigned long long, 32)
GRAFT_VECTOR_4(double4_16a, double, 16)
GRAFT_VECTOR_4(double4_32a, double, 32)
#undef GRAFT_VECTORS
#undef GRAFT_VECTOR_4

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };

// ---- device functions ----

namespace graft_host {

template <class T>
inline T smaller(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmin(a, b);
  else return a < b ? a : b;
}
template <class T>
inline T larger(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) return std::fmax(a, b);
  else return a < b ? b : a;
}

}  // namespace graft_host

// min and max behave as on the device. If one argument is NaN, the result is the other argument. A signed and an
// unsigned integer are compared as unsigned integers. They are variadic so that a template of the user is a better
// match.
template <class... T, class = std::enable_if_t<sizeof...(T) == 2 && (std::is_arithmetic_v<T> && ...)>>
inline auto min(T... x) -> decltype((x + ...)) {
  return graft_host::smaller<decltype((x + ...))>(x...);
}
template <class... T, class = std::enable_if_t<sizeof...(T) == 2 && (std::is_arithmetic_v<T> && ...)>>
inline auto max(T... x) -> decltype((x + ...)) {
  return graft_host::larger<decltype((x + ...))>(x...);
}
inline unsigned int umin(unsigned int a, unsigned int b) {
  return min(a, b);
}
inline unsigned int umax(unsigned int a, unsigned int b) {
  return max(a, b);
}
inline long long llmin(long long a, long long b) {
  return min(a, b);
}
inline long long llmax(long long a, long long b) {
  return max(a, b);
}
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}

inline double rsqrt(double x) {
  return 1 / std::sqrt(x);
}
inline float rsqrtf(float x) {
  return 1 / std::sqrt(x);
}
inline float rsqrt(float x) {
  return rsqrtf(x);
}
inline double rcbrt(double x) {
  return 1 / std::cbrt(x);
}
inline float rcbrtf(float x) {
  return 1 / std::cbrt(x);
}
inline double rhypot(double x, double y) {
  return 1 / std::hypot(x, y);
}
inline float rhypotf(float x, float y) {
  return 1 / std::hypot(x, y);
}
inline float exp10(float x) {
  return exp10f(x);
}
inline void sincos(float x, float* s, float* c) {
  sincosf(x, s, c);
}
inline double normcdf(double x) {
  return 0.5 * std::erfc(-x * 0.70710678118654752440);
}
inline float normcdff(float x) {
  return static_cast<float>(normcdf(static_cast<double>(x)));
}
inline float normcdf(float x) {
  return normcdff(x);
}
inline double fdivide(double x, double y) {
  return x / y;
}
inline float fdividef(float x, float y) {
  return x / y;
}

// sinpi and cospi reduce x to a small range before they multiply it by pi, so that their zeros are exact.
inline double sinpi(double x) {
  const double r = std::remainder(x, 2.0);
  return r == std::trunc(r) ? std::copysign(0.0, x) : std::sin(r * 3.14159265358979323846);
}
inline double cospi(double x) {
  const double r = std::fabs(std::remainder(x, 2.0));
  return r == 0.5 ? 0.0 : std::cos(r * 3.14159265358979323846);
}
inline float sinpif(float x) {
  return static_cast<float>(sinpi(static_cast<double>(x)));
}
inline float cospif(float x) {
  return static_cast<float>(cospi(static_cast<double>(x)));
}
inline float sinpi(float x) {
  return sinpif(x);
}
inline float cospi(float x) {
  return cospif(x);
}

// On the device, the functions below without a rounding mode in their name are fast approximations. On the host they
// have the full accuracy of the C library.
inline float __expf(float x) {
  return std::exp(x);
}
inline float __exp10f(float x) {
  return exp10f(x);
}
inline float __logf(float x) {
  return std::log(x);
}
inline float __log2f(float x) {
  return std::log2(x);
}
inline float __log10f(float x) {
  return std::log10(x);
}
inline float __sinf(float x) {
  return std::sin(x);
}
inline float __cosf(float x) {
  return std::cos(x);
}
inline float __tanf(float x) {
  return std::tan(x);
}
inline void __sincosf(float x, float* s, float* c) {
  sincosf(x, s, c);
}
inline float __powf(float x, float y) {
  return std::pow(x, y);
}
inline float __fdividef(float x, float y) {
  return x / y;
}
inline float __saturatef(float x) {
  return x > 0 ? (x < 1 ? x : 1.0f) : 0.0f;
}
inline float __frcp_rn(float x) {
  return 1 / x;
}
inline float __frsqrt_rn(float x) {
  return rsqrtf(x);
}
inline float __fsqrt_rn(float x) {
  return std::sqrt(x);
}
inline float __fadd_rn(float x, float y) {
  return x + y;
}
inline float __fsub_rn(float x, float y) {
  return x - y;
}
inline float __fmul_rn(float x, float y) {
  return x * y;
}
inline float __fdiv_rn(float x, float y) {
  return x / y;
}
inline float __fmaf_rn(float x, float y, float z) {
  return std::fma(x, y, z);
}
inline double __dadd_rn(double x, double y) {
  return x + y;
}
inline double __dsub_rn(double x, double y) {
  return x - y;
}
inline double __dmul_rn(double x, double y) {
  return x * y;
}
inline double __ddiv_rn(double x, double y) {
  return x / y;
}
inline double __drcp_rn(double x) {
  return 1 / x;
}
inline double __dsqrt_rn(double x) {
  return std::sqrt(x);
}
inline double __fma_rn(double x, double y, double z) {
  return std::fma(x, y, z);
}

inline int __popc(unsigned int x) {
  return __builtin_popcount(x);
}
inline int __popcll(unsigned long long x) {
  return __builtin_popcountll(x);
}
inline int __clz(int x) {
  return x == 0 ? 32 : __builtin_clz(static_cast<unsigned>(x));
}
inline int __clzll(long long x) {
  return x == 0 ? 64 : __builtin_clzll(static_cast<unsigned long long>(x));
}
inline int __ffs(int x) {
  return __builtin_ffs(x);
}
inline int __ffsll(long long x) {
  return __builtin_ffsll(x);
}
inline int __mulhi(int x, int y) {
  return static_cast<int>((static_cast<long long>(x) * y) >> 32);
}
inline unsigned int __umulhi(unsigned int x, unsigned int y) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(x) * y) >> 32);
}
// The product of the lowest 24 bits of each.
inline int __mul24(int x, int y) {
  return static_cast<int>(static_cast<long long>(static_cast<int>(static_cast<unsigned>(x) << 8) >> 8) *
                          (static_cast<int>(static_cast<unsigned>(y) << 8) >> 8));
}
inline unsigned int __umul24(unsigned int x, unsigned int y) {
  return (x & 0xffffffu) * (y & 0xffffffu);
}
template <class T>
inline T __ldg(const T* pointer) {
  return *pointer;
}

namespace graft_host {

template <class T>
struct Same {
  using type = T;
};

// Replaces the value at `place` by change(value) in one step, and returns the value before. Several threads may run a
// transform on the same memory, so the atomic functions must be atomic here too.
template <class T, class Change>
inline T change_atomically(T* place, Change change) {
  T old;
  __atomic_load(place, &old, __ATOMIC_RELAXED);
  for (;;) {
    T next = change(old);
    if (__atomic_compare_exchange(place, &old, &next, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) return old;
  }
}

template <class To, class From>
inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}

// Converts an integral value as the device does. Values out of range become the nearest value of To. NaN becomes the
// value whose highest bit alone is set if From is double or To has 64 bits, and 0 otherwise.
template <class To, class From>
inline To integer(From x) {
  constexpr int value_bits = 8 * sizeof(To) - std::is_signed_v<To>;
  constexpr bool nan_is_highest_bit = std::is_same_v<From, double> || sizeof(To) == 8;
  const double end = std::ldexp(1.0, value_bits);
  constexpr To largest = static_cast<To>(~0ull >> (64 - value_bits));
  if (std::isnan(x)) return nan_is_highest_bit ? static_cast<To>(1ull << (8 * sizeof(To) - 1)) : To(0);
  if (x >= end) return largest;
  if (x < (std::is_signed_v<To> ? -end : 0.0)) return std::is_signed_v<To> ? static_cast<To>(-largest - 1) : To(0);
  return static_cast<To>(x);
}

}  // namespace graft_host

inline float __int_as_float(int x) {
  return graft_host::bits<float>(x);
}
inline float __uint_as_float(unsigned int x) {
  return graft_host::bits<float>(x);
}
inline int __float_as_int(float x) {
  return graft_host::bits<int>(x);
}
inline unsigned int __float_as_uint(float x) {
  return graft_host::bits<unsigned int>(x);
}
inline long long __double_as_longlong(double x) {
  return graft_host::bits<long long>(x);
}
inline double __longlong_as_double(long long x) {
  return graft_host::bits<double>(x);
}

// The type of `value` is not deduced, so that a literal such as 1 is converted to the type of the memory, as on the
// device.
#define GRAFT_ATOMIC(name, next)                                                         \
  template <class T>                                                                     \
  inline T name(T* place, typename graft_host::Same<T>::type value) {                    \
    return graft_host::change_atomically(place, [value](T old) -> T { return (next); }); \
  }
GRAFT_ATOMIC(atomicAdd, old + value)
GRAFT_ATOMIC(atomicSub, old - value)
GRAFT_ATOMIC(atomicExch, (static_cast<void>(old), value))
GRAFT_ATOMIC(atomicMin, value < old ? value : old)
GRAFT_ATOMIC(atomicMax, value > old ? value : old)
GRAFT_ATOMIC(atomicInc, old >= value ? T(0) : old + 1)
GRAFT_ATOMIC(atomicDec, old == 0 || old > value ? value : old - 1)
GRAFT_ATOMIC(atomicAnd, old& value)
GRAFT_ATOMIC(atomicOr, old | value)
GRAFT_ATOMIC(atomicXor, old ^ value)
#undef GRAFT_ATOMIC
template <class T>
inline T atomicCAS(T* place, typename graft_host::Same<T>::type expected, typename graft_host::Same<T>::type value) {
  return graft_host::change_atomically(place, [=](T old) -> T { return old == expected ? value : old; });
}

#define GRAFT_CONVERSIONS(from, from_type, to, to_type)     \
  inline to_type __##from##2##to##_rn(from_type x) {        \
    return graft_host::integer<to_type>(std::nearbyint(x)); \
  }                                                         \
  inline to_type __##from##2##to##_rz(from_type x) {        \
    return graft_host::integer<to_type>(std::trunc(x));     \
  }                                                         \
  inline to_type __##from##2##to##_rd(from_type x) {        \
    return graft_host::integer<to_type>(std::floor(x));     \
  }                                                         \
  inline to_type __##from##2##to##_ru(from_type x) {        \
    return graft_host::integer<to_type>(std::ceil(x));      \
  }
GRAFT_CONVERSIONS(float, float, int, int)
GRAFT_CONVERSIONS(float, float, uint, unsigned int)
GRAFT_CONVERSIONS(float, float, ll, long long)
GRAFT_CONVERSIONS(float, float, ull, unsigned long long)
GRAFT_CONVERSIONS(double, double, int, int)
GRAFT_CONVERSIONS(double, double, uint, unsigned int)
GRAFT_CONVERSIONS(double, double, ll, long long)
GRAFT_CONVERSIONS(double, double, ull, unsigned long long)
#undef GRAFT_CONVERSIONS
inline float __int2float_rn(int x) {
  return static_cast<float>(x);
}
inline float __uint2float_rn(unsigned int x) {
  return static_cast<float>(x);
}
inline double __int2double_rn(int x) {
  return x;
}
inline double __uint2double_rn(unsigned int x) {
  return x;
}
inline float __ll2float_rn(long long x) {
  return static_cast<float>(x);
}
inline float __ull2float_rn(unsigned long long x) {
  return static_cast<float>(x);
}
inline double __ll2double_rn(long long x) {
  return static_cast<double>(x);
}
inline double __ull2double_rn(unsigned long long x) {
  return static_cast<double>(x);
}
inline float __double2float_rn(double x) {
  return static_cast<float>(x);
}
inline int __double2hiint(double x) {
  return static_cast<int>(__double_as_longlong(x) >> 32);
}
inline int __double2loint(double x) {
  return static_cast<int>(__double_as_longlong(x));
}
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(static_cast<unsigned long long>(high) << 32) |
                              static_cast<unsigned int>(low));
}

#include "host_bits.h"
#include "host_special.h"

// ---- used by graft's own code ----

#define GRAFT_EXPORT extern "C" __attribute__((__visibility__("default")))

// Returns the mangled name of a probe's type. The name contains the same text as the lowered name that NVRTC returns
// for a GPU, so the same code parses both names.
template <class Probe>
const char* graft_name_of() {
  return typeid(Probe).name();
}
