// The types that graft gives to callbacks: graft::Index, graft::Position, graft::Store, graft::Bit and graft::complex,
// and under NVRTC the types of <cstdint> and the macros of <math.h>.
//
// graft includes this header in front of every source callback, so a callback need not include it. A callback file that
// has its own `#include <graft/device.h>` also compiles with nvcc, with a host compiler and in an editor. This header
// includes no other header, because NVRTC would compile all included lines again for each callback.
#pragma once

#ifdef __CUDACC_RTC__  // NVRTC has no <cstdint>
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;  // the same type as in <cuda/std/...> under NVRTC; nvcc's int64_t is `long`
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
// The macros of <math.h>, which nvcc includes in front of every text.
#define INFINITY __builtin_bit_cast(float, 0x7f800000)
#define NAN __builtin_bit_cast(float, 0x7fffffff)
#define HUGE_VALF INFINITY
#define HUGE_VAL static_cast<double>(INFINITY)
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_2_SQRTPI 1.12837916709551257390
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GRAFT_HOST_DEVICE __host__ __device__
#else
#define GRAFT_HOST_DEVICE
#endif

namespace graft {

// The index of the current element, from 0 to count - 1. A callback receives it through a parameter of this type. Index
// is a class, not an alias of an integer type, so that a callback over arrays of 64-bit integers stays distinguishable
// from a callback that takes the index.
struct Index {
  unsigned long long value;
  GRAFT_HOST_DEVICE constexpr operator unsigned long long() const { return value; }
};

// The place of the current element in the shape of the call (graft/view.hpp): the last N coordinates, of which the last
// one, position[N - 1], is that of the innermost dimension. N is 1 to 5. A callback receives it through a parameter of
// this type. A coordinate of a dimension that the call does not have is 0. A call whose last N dimensions do not all
// have less than 2^32 elements is refused.
//
//     __device__ float ramp(float x, graft::Position<2> p) { return x * p[0] + p[1]; }  // row and column
template <int N>
struct Position {
  unsigned int coordinates[N];
  GRAFT_HOST_DEVICE constexpr unsigned int operator[](int i) const { return coordinates[i]; }
};

// The type of a parameter for an array that the callback updates in place. In the callback, the parameter is a variable
// of type T. Its value on entry is the element of the array, and its value on return becomes the element:
//
//     __device__ void drift(graft::InOut<float> x, float velocity, const float& dt) { x += dt * velocity; }
//
// A parameter `T&` is an output only, and zero on entry. Code that calls such a function itself passes an rvalue:
// drift(std::move(x), v, dt) changes x.
template <class T>
using InOut = T&&;

// The result of a callback that leaves some elements alone: whether the callback's outputs (`T&` and graft::InOut) are
// stored for this element.
//
//     __device__ graft::Store keep_positive(float x, float& out) {
//       out = x;
//       return graft::Store(x > 0);
//     }
//
// For an element that is not stored, the kernel does not write to the output arrays at all, so they keep their values,
// and another kernel may write these elements at the same time.
struct Store {
  bool value;
  GRAFT_HOST_DEVICE explicit constexpr Store(bool is_stored) : value(is_stored) {}
};

// An element of a bit array, for example of the validity mask of an Arrow column: one bit in memory, and in the
// callback a value that converts from and to bool. graft::bits describes such an array to execute.
//
//     __device__ graft::Bit safe_divide(float x, float y, graft::Bit is_valid, float& quotient) {
//       quotient = x / y;
//       return is_valid && y != 0;
//     }
struct Bit {
  bool value;
  Bit() = default;
  GRAFT_HOST_DEVICE constexpr Bit(bool is_set) : value(is_set) {}
  GRAFT_HOST_DEVICE constexpr operator bool() const { return value; }

  GRAFT_HOST_DEVICE constexpr Bit& operator&=(bool b) { return *this = value && b; }
  GRAFT_HOST_DEVICE constexpr Bit& operator|=(bool b) { return *this = value || b; }
  GRAFT_HOST_DEVICE constexpr Bit& operator^=(bool b) { return *this = value != b; }
};

namespace detail {

// Has the member `type` only for graft::Bit.
template <class T>
struct IfBit {};
template <>
struct IfBit<Bit> {
  using type = Bit;
};

}  // namespace detail

// The operators of single bits. Without them, C++ would compute with integers, and `~bit` would always be true. They
// are templates, so that they serve two bits only; a bit and a bool give an integer, 0 or 1, as two bools do. In
// `condition ? bit : false`, write bool(bit): C++ cannot choose between the two types.
template <class T>
GRAFT_HOST_DEVICE constexpr typename detail::IfBit<T>::type operator&(T a, T b) {
  return a.value && b.value;
}
template <class T>
GRAFT_HOST_DEVICE constexpr typename detail::IfBit<T>::type operator|(T a, T b) {
  return a.value || b.value;
}
template <class T>
GRAFT_HOST_DEVICE constexpr typename detail::IfBit<T>::type operator^(T a, T b) {
  return a.value != b.value;
}
template <class T>
GRAFT_HOST_DEVICE constexpr typename detail::IfBit<T>::type operator~(T a) {
  return !a.value;
}

// A complex number {real, imaginary}, aligned to its own size. std::complex<T>, thrust::complex<T>,
// cuda::std::complex<T>, float2 and double2 hold the same bytes in the same order.
template <class T>
struct alignas(2 * sizeof(T)) complex {
  T re;
  T im;

  complex() = default;
  GRAFT_HOST_DEVICE constexpr complex(T real, T imaginary = T()) : re(real), im(imaginary) {}

  GRAFT_HOST_DEVICE constexpr T real() const { return re; }
  GRAFT_HOST_DEVICE constexpr T imag() const { return im; }

  GRAFT_HOST_DEVICE constexpr complex& operator+=(complex b) { return *this = *this + b; }
  GRAFT_HOST_DEVICE constexpr complex& operator-=(complex b) { return *this = *this - b; }
  GRAFT_HOST_DEVICE constexpr complex& operator*=(complex b) { return *this = *this * b; }
  GRAFT_HOST_DEVICE constexpr complex& operator/=(complex b) { return *this = *this / b; }

  GRAFT_HOST_DEVICE friend constexpr complex operator+(complex a, complex b) { return {a.re + b.re, a.im + b.im}; }
  GRAFT_HOST_DEVICE friend constexpr complex operator-(complex a, complex b) { return {a.re - b.re, a.im - b.im}; }
  GRAFT_HOST_DEVICE friend constexpr complex operator-(complex a) { return {-a.re, -a.im}; }
  GRAFT_HOST_DEVICE friend constexpr complex operator*(complex a, complex b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  // Divides by the textbook formula, which overflows when |b|^2 overflows. The quotient of two std::complex does not
  // overflow in this case.
  GRAFT_HOST_DEVICE friend constexpr complex operator/(complex a, complex b) {
    const T scale = T(1) / (b.re * b.re + b.im * b.im);
    return {(a.re * b.re + a.im * b.im) * scale, (a.im * b.re - a.re * b.im) * scale};
  }
  GRAFT_HOST_DEVICE friend constexpr bool operator==(complex a, complex b) { return a.re == b.re && a.im == b.im; }
  GRAFT_HOST_DEVICE friend constexpr bool operator!=(complex a, complex b) { return !(a == b); }
};

template <class T>
GRAFT_HOST_DEVICE constexpr complex<T> conj(complex<T> z) {
  return {z.re, -z.im};
}

// Returns |z|^2, the square of the absolute value, as std::norm does.
template <class T>
GRAFT_HOST_DEVICE constexpr T norm(complex<T> z) {
  return z.re * z.re + z.im * z.im;
}

}  // namespace graft
