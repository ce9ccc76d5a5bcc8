// What a callback may use besides CUDA C++ itself: graft::Index and graft::complex.
//
// graft puts this header in front of every source callback, so a callback need not include it. A callback file that
// does include it (`#include <graft/device.h>`) also compiles under nvcc, under a host compiler and in an editor.
// It includes nothing, because every header costs the run-time compiler time.
#pragma once

#ifdef __CUDACC_RTC__  // no standard headers there: the types that every callback may use
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;  // as CCCL has it under NVRTC, and not `long` as nvcc: <cuda/std/...> redeclares it
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;
typedef long long intptr_t;
typedef unsigned long long uintptr_t;
#endif

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define GRAFT_HOST_DEVICE __host__ __device__
#else
#define GRAFT_HOST_DEVICE
#endif

namespace graft {

// The index of the element that a call works on, from 0 to count - 1. A parameter of this type receives it; it is a
// type of its own, so that a callback over 64-bit integers is never mistaken for one that wants the index.
struct Index {
  unsigned long long value;
  GRAFT_HOST_DEVICE constexpr operator unsigned long long() const { return value; }
};

// A complex number laid out as {real, imaginary} and aligned to its own size: the bytes of std::complex<T>,
// thrust::complex<T>, cuda::std::complex<T>, and of float2 and double2.
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
  // The textbook quotient: overflows where |b|^2 does, unlike std::complex.
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

// |z|^2, without the square root.
template <class T>
GRAFT_HOST_DEVICE constexpr T norm(complex<T> z) {
  return z.re * z.re + z.im * z.im;
}

}  // namespace graft
