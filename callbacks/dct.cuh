// Cosine and sine transforms (DCT, DST) of types II and III, by real FFTs (graft::FftKind::Real) of the same length:
//
//     DCT-II     y[k] = 2 sum over n of x[n] cos(pi k (2n + 1) / (2N))
//     DCT-III    y[n] = x[0] + 2 sum over k from 1 of x[k] cos(pi k (2n + 1) / (2N))
//     DST-II     y[k] = 2 sum over n of x[n] sin(pi (k + 1) (2n + 1) / (2N))
//     DST-III    y[n] = (-1)^n x[N-1] + 2 sum over k to N - 2 of x[k] sin(pi (k + 1) (2n + 1) / (2N))
//
// These are SciPy's and FFTW's (REDFT10, REDFT01, RODFT10, RODFT01). One after the other, II and III of a kind multiply
// by 2N; with FftScaling::ByLength, III divides by N. II is a forward FFT and III an inverse one:
//
//     plan = {.length = N, .directions = Forward, .kind = FftKind::Real}    load_dct2, store_dct2
//     plan = {.length = N, .directions = Inverse, .kind = FftKind::Real}    load_dct3, store_dct3
//
// All have cuFFT's shape. caller_info points to a Dct, in device memory (FftLaunch::info); both arrays hold N numbers
// for each transform, one after the other, and the layouts are the default ones. Each number is read and written once.
// T is float or double.
//
// Method: the even elements of x and behind them the odd ones in reverse order are v. With V = FFT(v), y[k] is twice
// the real part of V[k] exp(-i pi k / (2N)), and y[N - k] twice its imaginary part, negated. Reference: J. Makhoul, "A
// fast cosine transform in one and two dimensions", IEEE Trans. ASSP 28 (1980).
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

struct Dct {
  unsigned int length;  // N
};

namespace detail {

// Number `place` of one of many rows.
struct PlaceOfRow {
  unsigned long long row;
  unsigned int place;

  __device__ PlaceOfRow(unsigned long long offset, unsigned int row_length) {
    const unsigned int low = static_cast<unsigned int>(offset);
    row = low == offset ? low / row_length : offset / row_length;
    place = static_cast<unsigned int>(offset - row * row_length);
  }
};

// The element of x that is element p of v.
__device__ inline unsigned int element_of_dct(unsigned int p, unsigned int length) {
  return p < (length + 1) / 2 ? 2 * p : 2 * (length - p) - 1;
}

// Twice the real part of z exp(-i pi k / (2N)), and twice its imaginary part, negated.
template <class T>
__device__ graft::complex<T> turned_for_dct(graft::complex<T> z, unsigned int k, unsigned int length) {
  const T angle = static_cast<T>(k) / static_cast<T>(2 * length);  // in half turns, below 1/2
  const T cosine = T(2) * cospi(angle), sine = T(2) * sinpi(angle);
  return {z.re * cosine + z.im * sine, z.re * sine - z.im * cosine};
}

// V[k] of a type III: (x[k] - i x[N - k]) exp(i pi k / (2N)).
template <class T>
__device__ graft::complex<T> frequency_of_dct(T x, T mirror, unsigned int k, unsigned int length) {
  const T angle = static_cast<T>(k) / static_cast<T>(2 * length);
  const T cosine = cospi(angle), sine = sinpi(angle);
  return {x * cosine + mirror * sine, x * sine - mirror * cosine};
}

}  // namespace detail

template <class T>
__device__ T load_dct2(void* data, unsigned long long offset, void* caller_info, void*) {
  const unsigned int length = static_cast<const Dct*>(caller_info)->length;
  const detail::PlaceOfRow at(offset, length);
  return static_cast<const T*>(data)[at.row * length + detail::element_of_dct(at.place, length)];
}

template <class T>
__device__ void store_dct2(void* data, unsigned long long offset, graft::complex<T> value, void* caller_info, void*) {
  const unsigned int length = static_cast<const Dct*>(caller_info)->length;
  const detail::PlaceOfRow at(offset, length / 2 + 1);
  T* const row = static_cast<T*>(data) + at.row * length;
  const graft::complex<T> both = detail::turned_for_dct(value, at.place, length);
  row[at.place] = both.re;
  if (at.place != 0 && 2 * at.place != length) row[length - at.place] = both.im;
}

template <class T>
__device__ graft::complex<T> load_dct3(void* data, unsigned long long offset, void* caller_info, void*) {
  const unsigned int length = static_cast<const Dct*>(caller_info)->length;
  const detail::PlaceOfRow at(offset, length / 2 + 1);
  const T* const row = static_cast<const T*>(data) + at.row * length;
  const T mirror = at.place == 0 ? T(0) : row[length - at.place];
  return detail::frequency_of_dct(row[at.place], mirror, at.place, length);
}

template <class T>
__device__ void store_dct3(void* data, unsigned long long offset, T value, void* caller_info, void*) {
  const unsigned int length = static_cast<const Dct*>(caller_info)->length;
  const detail::PlaceOfRow at(offset, length);
  static_cast<T*>(data)[at.row * length + detail::element_of_dct(at.place, length)] = value;
}

// A DST-II is the DCT-II of x with every second sign changed, in reverse order. The odd elements of x are the second
// part of v.
template <class T>
__device__ T load_dst2(void* data, unsigned long long offset, void* caller_info, void*) {
  const unsigned int length = static_cast<const Dct*>(caller_info)->length;
  const detail::PlaceOfRow at(offset, length);
  const T x = static_cast<const T*>(data)[at.row * length + detail::element_of_dct(at.place, length)];
  return at.place < (length + 1) / 2 ? x : -x;
}

template <class T>
__device__ void store_dst2(void* data, unsigned long long offset, graft::complex<T> value, void* caller_info, void*) {
  const unsigned int length = static_cast<const Dct*>(caller_info)->length;
  const detail::PlaceOfRow at(offset, length / 2 + 1);
  T* const row = static_cast<T*>(data) + at.row * length;
  const graft::complex<T> both = detail::turned_for_dct(value, at.place, length);
  row[length - 1 - at.place] = both.re;
  if (at.place != 0 && 2 * at.place != length) row[at.place - 1] = both.im;
}

template <class T>
__device__ graft::complex<T> load_dst3(void* data, unsigned long long offset, void* caller_info, void*) {
  const unsigned int length = static_cast<const Dct*>(caller_info)->length;
  const detail::PlaceOfRow at(offset, length / 2 + 1);
  const T* const row = static_cast<const T*>(data) + at.row * length;
  const T mirror = at.place == 0 ? T(0) : row[at.place - 1];
  return detail::frequency_of_dct(row[length - 1 - at.place], mirror, at.place, length);
}

template <class T>
__device__ void store_dst3(void* data, unsigned long long offset, T value, void* caller_info, void*) {
  const unsigned int length = static_cast<const Dct*>(caller_info)->length;
  const detail::PlaceOfRow at(offset, length);
  static_cast<T*>(data)[at.row * length + detail::element_of_dct(at.place, length)] =
      at.place < (length + 1) / 2 ? value : -value;
}

}  // namespace graft::callbacks
