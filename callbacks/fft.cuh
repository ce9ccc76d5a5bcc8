// Callbacks for graft::Fft: at load, between an FFT and its inverse, and at store.
//
// At load, samples become complex numbers; rows that are shorter than the FFT are filled up with zeros. Between, a
// spectrum is multiplied by a filter, or compared with another spectrum. At store, a spectrum becomes decibels, or the
// useful part of each row is kept. Functions with one input and one output chain with each other and with those of
// windows.cuh and complex.cuh:
//
//     load:   chain(int16_to_real<float>, hann<float>, real_to_complex<float>)     16-bit samples, windowed
//     store:  chain(squared_magnitude<float>, to_decibels<float>)                  a power spectrum in dB
//
// The index of an FFT's callback is b N + p for point p of the FFT with number b; N is the FFT's length. Lengths in
// states must not be 0. T is float or double, and C is graft::complex<T>, which has the bytes of float2 or double2. u
// is 2^-24 for float and 2^-53 for double.
//
// A linear convolution of a row of L samples with M weights is a circular one of N >= L + M - 1 points: load_real_rows
// fills each row up to N, filter_spectrum multiplies by the filter's spectrum (the FFT of the weights, filled up with
// zeros), and keep_first or store_rows keep L + M - 1 results. Scale by 1/N (FftScaling::ByLength).
//
// Phase correlation finds the shift between two signals: the inverse FFT of X conj(Y) / |X conj(Y)| has a peak at the
// shift of x against y.
//
// References: A. V. Oppenheim, R. W. Schafer, Discrete-Time Signal Processing (linear convolution by the DFT); C. D.
// Kuglin, D. C. Hines, "The phase correlation image alignment method", Proc. IEEE Int. Conf. Cybernetics and Society
// (1975).
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

// FFTs of `length` points whose rows in memory have only `count` elements. On the side of a real FFT that has
// frequencies, `length` is their number: N/2 + 1.
struct Rows {
  unsigned int length;  // N
  unsigned int count;
};

namespace detail {

// Returns i mod length. Most indices are below 2^32, for which a 32-bit remainder is several times as fast.
__device__ inline unsigned int place_in_row(unsigned long long i, unsigned int length) {
  const unsigned int low = static_cast<unsigned int>(i);
  if (low < length && low == i) return low;
  return low == i ? low % length : static_cast<unsigned int>(i % length);
}
__device__ inline unsigned long long row_of(unsigned long long i, unsigned int length) {
  const unsigned int low = static_cast<unsigned int>(i);
  return low == i ? low / length : i / length;
}

template <class E>
__device__ E element_of_row(const E* data, unsigned long long offset, const void* info) {
  const Rows rows = *static_cast<const Rows*>(info);
  const unsigned int p = place_in_row(offset, rows.length);
  return p < rows.count ? data[row_of(offset, rows.length) * rows.count + p] : E(0);
}
template <class E>
__device__ void put_into_row(E* data, unsigned long long offset, E value, const void* info) {
  const Rows rows = *static_cast<const Rows*>(info);
  const unsigned int p = place_in_row(offset, rows.length);
  if (p < rows.count) data[row_of(offset, rows.length) * rows.count + p] = value;
}

template <class E>
__device__ void put_end_of_row(E* data, unsigned long long offset, E value, const void* info) {
  const Rows rows = *static_cast<const Rows*>(info);
  const unsigned int p = place_in_row(offset, rows.length), first = rows.length - rows.count;
  if (p >= first) data[row_of(offset, rows.length) * rows.count + (p - first)] = value;
}

template <class T>
__device__ graft::complex<T> times(graft::complex<T> z, T weight) {
  return {z.re * weight, z.im * weight};
}
template <class T>
__device__ graft::complex<T> times(graft::complex<T> z, graft::complex<T> weight) {
  return z * weight;
}

// Two samples of 12 bits have three bytes, and two of 4 bits one; the first one has the lowest bits.
template <class T>
__device__ T packed_12(const void* data, unsigned long long i) {
  const unsigned char* const bytes = static_cast<const unsigned char*>(data) + i / 2 * 3 + i % 2;
  const unsigned int pair = bytes[0] | static_cast<unsigned int>(bytes[1]) << 8;
  const unsigned int bits = i % 2 == 0 ? pair << 20 : pair >> 4 << 20;
  return static_cast<T>(static_cast<int>(bits) >> 20) * T(1.0 / 2048);
}
template <class T>
__device__ T low_4(unsigned int bits) {
  return static_cast<T>(static_cast<int>(bits << 28) >> 28) * T(1.0 / 8);
}
template <class T>
__device__ T packed_4(const void* data, unsigned long long i) {
  const unsigned int byte = static_cast<const unsigned char*>(data)[i / 2];
  return low_4<T>(i % 2 == 0 ? byte : byte >> 4);
}

}  // namespace detail

// ---- load ----

// x + 0 i.
template <class T>
__device__ graft::complex<T> real_to_complex(T x) {
  return {x, T(0)};
}

// x / 32768: a 16-bit sample as a number from -1 to 1. The result is exact.
template <class T>
__device__ T int16_to_real(short x) {
  return static_cast<T>(x) * T(1.0 / 32768);
}

// x / 128: an 8-bit sample. The result is exact.
template <class T>
__device__ T int8_to_real(signed char x) {
  return static_cast<T>(x) * T(1.0 / 128);
}

// Samples in offset binary, whose zero is in the middle of the range: (x - 128) / 128 and (x - 32768) / 32768. The
// results are exact.
template <class T>
__device__ T uint8_to_real(unsigned char x) {
  return static_cast<T>(static_cast<int>(x) - 128) * T(1.0 / 128);
}
template <class T>
__device__ T uint16_to_real(unsigned short x) {
  return static_cast<T>(static_cast<int>(x) - 32768) * T(1.0 / 32768);
}

// x / 32768 + 0 i. The result is exact.
template <class T>
__device__ graft::complex<T> int16_to_complex(short x) {
  return {int16_to_real<T>(x), T(0)};
}

// A complex sample of a radio receiver. It has the layout of short2.
struct alignas(4) Iq16 {
  short in_phase;
  short quadrature;
};

// (I + i Q) / 32768. The result is exact.
template <class T>
__device__ graft::complex<T> iq16_to_complex(Iq16 sample) {
  return {int16_to_real<T>(sample.in_phase), int16_to_real<T>(sample.quadrature)};
}

// Complex samples of 8 bits. They have the layouts of char2 and uchar2.
struct alignas(2) Iq8 {
  signed char in_phase;
  signed char quadrature;
};
struct alignas(2) OffsetIq8 {
  unsigned char in_phase;
  unsigned char quadrature;
};

// (I + i Q) / 128, and the same in offset binary. The results are exact.
template <class T>
__device__ graft::complex<T> iq8_to_complex(Iq8 sample) {
  return {int8_to_real<T>(sample.in_phase), int8_to_real<T>(sample.quadrature)};
}
template <class T>
__device__ graft::complex<T> offset_iq8_to_complex(OffsetIq8 sample) {
  return {uint8_to_real<T>(sample.in_phase), uint8_to_real<T>(sample.quadrature)};
}

// (I + i Q) / 8 of two samples of 4 bits in a byte, I in the low ones: in two's complement, and in offset binary.
template <class T>
__device__ graft::complex<T> iq4_to_complex(unsigned char sample) {
  return {detail::low_4<T>(sample), detail::low_4<T>(sample >> 4)};
}
template <class T>
__device__ graft::complex<T> offset_iq4_to_complex(unsigned char sample) {
  return iq4_to_complex<T>(sample ^ 0x88);
}

// Load callbacks of cuFFT's shape for packed samples in two's complement: two of 12 bits in three bytes, and two of 4
// bits in one, of which the first one has the lowest bits. Results are x / 2048 and x / 8, exactly: points of a complex
// FFT, and with `numbers` in the name those of a real one (FftKind::Real). The input is an array of bytes, with the
// default layout, which counts samples. caller_info is unused.
template <class T>
__device__ graft::complex<T> load_packed_12(void* data, unsigned long long offset, void*, void*) {
  return {detail::packed_12<T>(data, offset), T(0)};
}
template <class T>
__device__ graft::complex<T> load_packed_4(void* data, unsigned long long offset, void*, void*) {
  return {detail::packed_4<T>(data, offset), T(0)};
}
template <class T>
__device__ T load_packed_numbers_12(void* data, unsigned long long offset, void*, void*) {
  return detail::packed_12<T>(data, offset);
}
template <class T>
__device__ T load_packed_numbers_4(void* data, unsigned long long offset, void*, void*) {
  return detail::packed_4<T>(data, offset);
}

// x for the first `count` points of each FFT, and 0 for the others, whatever x is. E is a number or a complex number.
// The kernel reads N elements from the begin of each row: with rows of `count` elements (FftLayout::distance), the
// array must have N - `count` elements more behind the last row.
template <class E>
__device__ E zero_padded(E x, graft::Index i, const Rows& rows) {
  return detail::place_in_row(i, rows.length) < rows.count ? x : E(0);
}

// Load callbacks of cuFFT's shape: the same for rows of `count` elements that follow directly after each other. Nothing
// else is read, so that the array needs no elements more. caller_info points to a Rows, in device memory
// (FftLaunch::info.load). The input's layout must be the default one.
template <class T>
__device__ graft::complex<T> load_rows(void* data, unsigned long long offset, void* caller_info, void*) {
  return detail::element_of_row(static_cast<const graft::complex<T>*>(data), offset, caller_info);
}

// The same for rows of real numbers.
template <class T>
__device__ graft::complex<T> load_real_rows(void* data, unsigned long long offset, void* caller_info, void*) {
  return {detail::element_of_row(static_cast<const T*>(data), offset, caller_info), T(0)};
}
// For the numbers of a real FFT.
template <class T>
__device__ T load_number_rows(void* data, unsigned long long offset, void* caller_info, void*) {
  return detail::element_of_row(static_cast<const T*>(data), offset, caller_info);
}

// ---- between, and store callbacks that change a spectrum ----

template <class W>
struct Filter {
  const W* weights;     // `length` weights, in the memory of the arrays
  unsigned int length;  // N; of a real FFT, its frequencies: N/2 + 1, and of a shape as many in all
};

// z times the weight of frequency k, which is real (W is T) or complex (W is C, for example the spectrum of a filter).
// Works between and at store. |error| <= u |z w| for each component with real weights, sqrt(5) u |z w| with complex
// ones.
template <class T, class W>
__device__ graft::complex<T> filter_spectrum(graft::complex<T> z, graft::Index k, const Filter<W>& filter) {
  return detail::times(z, filter.weights[detail::place_in_row(k, filter.length)]);
}

// X conj(Y) / |X conj(Y)|, the cross-power spectrum with all magnitudes 1. 0 if X conj(Y) is 0. For a store callback,
// or for graft::Transform: Y is another array. |error| <= 10 u, unless the product overflows or underflows.
template <class T>
__device__ graft::complex<T> cross_phase(graft::complex<T> x, graft::complex<T> y) {
  const graft::complex<T> product = x * graft::conj(y);
  const T magnitude = hypot(product.re, product.im);
  if (magnitude == T(0)) return {T(0), T(0)};
  return {product.re / magnitude, product.im / magnitude};
}

// The same between an FFT and its inverse: the FFTs of a batch are compared with one spectrum Y, whose values are
// filter.weights.
template <class T>
__device__ graft::complex<T> phase_correlate(graft::complex<T> x, graft::Index k,
                                             const Filter<graft::complex<T>>& other) {
  return cross_phase<T>(x, other.weights[detail::place_in_row(k, other.length)]);
}

// X conj(Y), whose inverse FFT is the cross-correlation of x with y: its number m is the sum over n of x[n + m] y[n]
// (conjugated). Y is another array, as for cross_phase. |error| <= sqrt(5) u |X Y| for each component.
template <class T>
__device__ graft::complex<T> cross_power(graft::complex<T> x, graft::complex<T> y) {
  return x * graft::conj(y);
}

// The same between an FFT and its inverse.
template <class T>
__device__ graft::complex<T> correlate(graft::complex<T> x, graft::Index k, const Filter<graft::complex<T>>& other) {
  return cross_power<T>(x, other.weights[detail::place_in_row(k, other.length)]);
}

// ---- store ----

// |z|^2 is added to the output, which is also the further array of the store callback: power spectra of many frames
// (Welch's method), a call for each frame of every channel. |error| <= u |sum| + 2 u |z|^2.
template <class T>
__device__ T add_power(graft::complex<T> z, T sum) {
  return sum + graft::norm(z);
}

template <class T>
struct Decibels {
  T scale;  // 1 / reference: a power equal to the reference is 0 dB
  T floor;  // the smallest result, for example -120
};

// 10 log10(scale power), but at least `floor`, also for power 0. nan stays nan. Error at most 4 ulp plus 5 u, the
// effect of rounding scale power.
template <class T>
__device__ T to_decibels(T power, const Decibels<T>& decibels) {
  const T value = T(10) * log10(decibels.scale * power);
  return value < decibels.floor ? decibels.floor : value;
}

// The same of |z|^2. Error at most 4 ulp plus 14 u.
template <class T>
__device__ T power_in_decibels(graft::complex<T> z, const Decibels<T>& decibels) {
  return to_decibels<T>(graft::norm(z), decibels);
}

// The real part, for the result of an inverse FFT that is known to be real.
template <class T>
__device__ T real_part(graft::complex<T> z) {
  return z.re;
}

// Stores the first `count` results of each FFT, and leaves the other elements of the output alone. E is a number or a
// complex number. The output has rows of at least N elements. It can only be the last part of a chain.
template <class E>
__device__ graft::Store keep_first(E value, graft::Index i, E& out, const Rows& rows) {
  out = value;
  return graft::Store(detail::place_in_row(i, rows.length) < rows.count);
}

// Store callbacks of cuFFT's shape: the first `count` results of each FFT follow directly after those of the FFT
// before. caller_info points to a Rows, in device memory (FftLaunch::info.store). The output's layout must be the
// default one.
template <class T>
__device__ void store_rows(void* data, unsigned long long offset, graft::complex<T> value, void* caller_info, void*) {
  detail::put_into_row(static_cast<graft::complex<T>*>(data), offset, value, caller_info);
}

// The same for the real parts only, and for the numbers of a real FFT.
template <class T>
__device__ void store_real_rows(void* data, unsigned long long offset, graft::complex<T> value, void* caller_info,
                                void*) {
  detail::put_into_row(static_cast<T*>(data), offset, value.re, caller_info);
}
template <class T>
__device__ void store_number_rows(void* data, unsigned long long offset, T value, void* caller_info, void*) {
  detail::put_into_row(static_cast<T*>(data), offset, value, caller_info);
}

// The results of each FFT from number `length` - `count` on, without gaps: what overlap-save keeps of a frame, whose
// first results are those of no linear convolution. The input's frames overlap (FftLayout::distance is `count`).
template <class T>
__device__ void store_after(void* data, unsigned long long offset, graft::complex<T> value, void* caller_info, void*) {
  detail::put_end_of_row(static_cast<graft::complex<T>*>(data), offset, value, caller_info);
}

// The same for the real parts, and for the numbers of a real FFT.
template <class T>
__device__ void store_real_after(void* data, unsigned long long offset, graft::complex<T> value, void* caller_info,
                                 void*) {
  detail::put_end_of_row(static_cast<T*>(data), offset, value.re, caller_info);
}
template <class T>
__device__ void store_numbers_after(void* data, unsigned long long offset, T value, void* caller_info, void*) {
  detail::put_end_of_row(static_cast<T*>(data), offset, value, caller_info);
}

}  // namespace graft::callbacks
