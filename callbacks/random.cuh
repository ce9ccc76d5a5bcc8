// Random numbers by position: Philox 4x32-10, a generator without state.
//
// Philox is a keyed bijection of 128-bit counters. The random number of an element is a function of the element's
// index, of a seed and of a stream number, so it is the same integer in every launch, on every machine, and however an
// array is split into launches. Elements need no memory of their own.
//
//     counter = {index (64 bits), stream (64 bits)}    key = seed (64 bits)    result = four 32-bit words
//
// For independent sequences from one seed, use another stream number for each sequence. The functions with four outputs
// use all four words of one evaluation (ten rounds of two 32 x 32 bit products); the functions with one output use one
// or two words.
//
// Reference: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC
// 2011; the tests compare with the test vectors that its authors publish (Random123, kat_vectors). Normal numbers: G.
// E. P. Box, M. E. Muller, "A note on the generation of random normal deviates", Ann. Math. Statist. 29, 1958.
#pragma once

#include <graft/device.h>

namespace graft::callbacks {

struct Philox {
  unsigned long long seed;
  unsigned long long stream;
};

struct alignas(16) Words4 {
  unsigned int x, y, z, w;
};

template <class T>
struct alignas(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16) Numbers4 {
  T x, y, z, w;
};

namespace detail {

__device__ inline unsigned int high_word(unsigned long long product) {
  return static_cast<unsigned int>(product >> 32);
}

// One round: two products, whose high words are mixed with the other words and the key.
__device__ inline Words4 philox_round(Words4 c, unsigned int key0, unsigned int key1) {
  const unsigned long long a = 0xD2511F53ull * c.x;
  const unsigned long long b = 0xCD9E8D57ull * c.z;
  return {high_word(b) ^ c.y ^ key0, static_cast<unsigned int>(b), high_word(a) ^ c.w ^ key1,
          static_cast<unsigned int>(a)};
}

__device__ inline Words4 philox10(Words4 counter, unsigned long long seed) {
  unsigned int key0 = static_cast<unsigned int>(seed);
  unsigned int key1 = high_word(seed);
  for (int round = 0; round < 10; ++round) {
    counter = philox_round(counter, key0, key1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  return counter;
}

__device__ inline Words4 words_of(graft::Index i, const Philox& from) {
  return philox10({static_cast<unsigned int>(i.value), high_word(i.value), static_cast<unsigned int>(from.stream),
                   high_word(from.stream)},
                  from.seed);
}

// Divides (0, 1) into 2^23 (float) or 2^52 (double) equal parts and returns the centre of the part that the random bits
// select, so the result is never 0 and never 1.
__device__ inline float centre(unsigned int word) {
  return static_cast<float>(word >> 9) * 0x1p-23f + 0x1p-24f;
}
__device__ inline double centre(unsigned int low, unsigned int high) {
  const unsigned long long bits = static_cast<unsigned long long>(high) << 32 | low;
  return static_cast<double>(bits >> 12) * 0x1p-52 + 0x1p-53;
}

// Return cos and sin of the angle 2 pi turns. The GPU has functions of pi x (cospi, sinpi), which need no range
// reduction for huge angles.
template <class T>
__device__ T cos_of_turns(T turns) {
#ifdef __CUDA_ARCH__
  return cospi(T(2) * turns);
#else
  return static_cast<T>(cos(6.283185307179586476925286766559 * turns));
#endif
}
template <class T>
__device__ T sin_of_turns(T turns) {
#ifdef __CUDA_ARCH__
  return sinpi(T(2) * turns);
#else
  return static_cast<T>(sin(6.283185307179586476925286766559 * turns));
#endif
}

// The radius of Box and Muller's pair of normal numbers.
template <class T>
__device__ T normal_radius(T uniform) {
  return static_cast<T>(sqrt(T(-2) * static_cast<T>(log(uniform))));
}

template <class T>
struct Draw;
template <>
struct Draw<float> {
  __device__ static float uniform(Words4 words) { return centre(words.x); }
  __device__ static float normal(Words4 words) {
    return normal_radius(centre(words.x)) * cos_of_turns(centre(words.y));
  }
};
template <>
struct Draw<double> {
  __device__ static double uniform(Words4 words) { return centre(words.x, words.y); }
  __device__ static double normal(Words4 words) {
    return normal_radius(centre(words.x, words.y)) * cos_of_turns(centre(words.z, words.w));
  }
};

}  // namespace detail

// The four words of Philox 4x32-10 for the counter {index, stream} and the key seed.
__device__ inline Words4 philox(graft::Index i, const Philox& from) {
  return detail::words_of(i, from);
}

// Returns one 32-bit word: the first of the four words of philox().
__device__ inline unsigned int random_bits(graft::Index i, const Philox& from) {
  return detail::words_of(i, from).x;
}

// Uniform in (0, 1), T float or double: (k + 1/2) / 2^23 with 23 random bits k (float), (k + 1/2) / 2^52 (double). The
// result is never 0 and never 1, and is computed without rounding, so it is equal on every machine.
template <class T>
__device__ T uniform(graft::Index i, const Philox& from) {
  return detail::Draw<T>::uniform(detail::words_of(i, from));
}

// Standard normal (mean 0, variance 1), by Box and Muller from two uniform numbers u, v: sqrt(-2 log u) cos(2 pi v).
// |result| is at most 5.8 for float (u has 23 bits) and 8.6 for double.
template <class T>
__device__ T normal(graft::Index i, const Philox& from) {
  return detail::Draw<T>::normal(detail::words_of(i, from));
}

// Four uniform numbers for each element, from the four words of one evaluation.
__device__ inline Numbers4<float> uniform4(graft::Index i, const Philox& from) {
  const Words4 words = detail::words_of(i, from);
  return {detail::centre(words.x), detail::centre(words.y), detail::centre(words.z), detail::centre(words.w)};
}

// Four standard normal numbers for each element: both numbers of two pairs of Box and Muller.
__device__ inline Numbers4<float> normal4(graft::Index i, const Philox& from) {
  const Numbers4<float> u = uniform4(i, from);
  const float r = detail::normal_radius(u.x);
  const float s = detail::normal_radius(u.z);
  return {r * detail::cos_of_turns(u.y), r * detail::sin_of_turns(u.y), s * detail::cos_of_turns(u.w),
          s * detail::sin_of_turns(u.w)};
}

// The state of add_noise, which returns x plus normal noise with the standard deviation `deviation`.
template <class T>
struct Noise {
  Philox from;
  T deviation;
};
template <class T>
__device__ T add_noise(T x, graft::Index i, const Noise<T>& noise) {
  return x + noise.deviation * normal<T>(i, noise.from);
}

// The state of dropout (inverted dropout), which returns 0 with probability `rate`, else x / (1 - rate).
template <class T>
struct Dropout {
  Philox from;
  T rate;
};
template <class T>
__device__ T dropout(T x, graft::Index i, const Dropout<T>& drop) {
  return uniform<T>(i, drop.from) < drop.rate ? T(0) : x / (T(1) - drop.rate);
}

}  // namespace graft::callbacks
