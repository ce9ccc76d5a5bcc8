// Loads and stores elements of bit arrays: arrays of graft::Bit, such as the validity masks of Arrow.
//
// A bit array consists of 32-bit words, and graft_mask says where its elements begin. No thread can write one bit by
// itself, so threads that have bits of the same word work together:
//
//   * In a tile, each thread has the bits of one vector (4 bits if the vector width is 4). The host places tiles so
//     that they begin at a word of every output. The threads whose bits share a word combine them by shuffles, and one
//     of them stores the whole word. No thread reads the word.
//   * Outside of tiles, each thread has one bit. The threads of a warp that have bits of the same word elect one of
//     them, which stores the word if all of its bits are theirs, and otherwise changes only their bits, by atomic
//     operations.
//
// So bits that do not belong to the elements of the launch keep their values, also while another kernel changes them.
// The exception is the rest of the last word if the mask says so (clears_rest).
#pragma once
#define GRAFT_BITS

#ifndef GRAFT_CONTRACT  // generated text may have included contract.h already
#include "contract.h"
#endif

namespace graft_bits {

#define GRAFT_BITS_INLINE __device__ __forceinline__

enum : unsigned int { kAllLanes = 0xffffffff, kAllBits = 0xffffffff, kLanes = 32 };

// Returns the elements first to first + width - 1, with the first one in the lowest bit; higher bits are undefined.
// They may be in two words. The second word is read only if an element is in it, so no read goes beyond the array.
GRAFT_BITS_INLINE unsigned int load(const void* words, const graft_mask& mask, unsigned long long first, int width) {
  const unsigned long long place = mask.offset + first;
  const unsigned int* const word = static_cast<const unsigned int*>(words) + place / GRAFT_BITS_PER_WORD;
  const int bit = static_cast<int>(place % GRAFT_BITS_PER_WORD);
  unsigned int bits = word[0] >> bit;
  if (bit + width > GRAFT_BITS_PER_WORD) bits |= word[1] << (GRAFT_BITS_PER_WORD - bit);
  return bits;
}

// Stores those bits of a word that are set in `owned`.
GRAFT_BITS_INLINE void store_word(unsigned int* word, unsigned int bits, unsigned int owned) {
  if (owned == kAllBits) {
    *word = bits;
  } else if (owned != 0) {
    atomicAnd(word, bits | ~owned);
    atomicOr(word, bits & owned);
  }
}

// Moves bits up by `distance` places, or down if it is negative.
GRAFT_BITS_INLINE unsigned int moved(unsigned int bits, int distance) {
  return distance >= 0 ? bits << distance : bits >> -distance;
}

// Stores one element. Neighbouring threads should have neighbouring elements, so that few threads access a word.
GRAFT_BITS_INLINE void store_one(const graft_launch* launch, void* words, const graft_mask& mask,
                                 unsigned long long index, bool value) {
  const unsigned long long place = mask.offset + index;
  unsigned int* const word = static_cast<unsigned int*>(words) + place / GRAFT_BITS_PER_WORD;
  const int bit = static_cast<int>(place % GRAFT_BITS_PER_WORD);
  const int lane = static_cast<int>(threadIdx.x % kLanes);
  // The callback may have separated the threads of the warp. Those that are here together share their work; the others
  // come at another time, as another group.
  const unsigned int here = __activemask();
  // Threads of one group have the same word, and their bits are as far apart as the threads.
  const unsigned int distance = static_cast<unsigned int>(bit - lane) % 64;
  const unsigned int group = __match_any_sync(here, reinterpret_cast<unsigned long long>(word) << 6 | distance);
  const unsigned int ones = __ballot_sync(here, value) & group;
  if (lane != __ffs(static_cast<int>(group)) - 1) return;
  unsigned int owned = moved(group, bit - lane);
  const unsigned int bits = moved(ones, bit - lane);
  if (mask.zeros != nullptr) atomicAdd(mask.zeros, static_cast<unsigned long long>(__popc(owned & ~bits)));
  const unsigned long long last = mask.offset + launch->count - 1;
  const unsigned int last_bit = 1u << (last % GRAFT_BITS_PER_WORD);
  const bool has_last = place / GRAFT_BITS_PER_WORD == last / GRAFT_BITS_PER_WORD && (owned & last_bit) != 0;
  if (mask.clears_rest != 0 && has_last) owned |= ~(last_bit | (last_bit - 1));
  store_word(word, bits, owned);
}

// Stores the elements of one vector in a tile. All threads of the warp must call this function together. Bit i of
// `bits` is element first + i, and bit i of `stored` says whether this element is stored. `is_selective` is false if
// all elements are stored.
GRAFT_BITS_INLINE void store_vector(void* words, const graft_mask& mask, unsigned long long first, unsigned int bits,
                                    unsigned int stored, bool is_selective, int width) {
  const unsigned long long place = mask.offset + first;
  const int bit = static_cast<int>(place % GRAFT_BITS_PER_WORD);
  unsigned int word = bits << bit;
  unsigned int owned = stored << bit;
  const bool is_whole = stored == (1u << width) - 1;
#pragma unroll
  for (int distance = 1; distance < GRAFT_BITS_PER_WORD / width; distance *= 2)
    word |= __shfl_xor_sync(kAllLanes, word, distance);
  // If all elements of the warp are stored, a second round of shuffles is not necessary.
  if (!is_selective || __all_sync(kAllLanes, is_whole)) {
    owned = kAllBits;
  } else {
#pragma unroll
    for (int distance = 1; distance < GRAFT_BITS_PER_WORD / width; distance *= 2)
      owned |= __shfl_xor_sync(kAllLanes, owned, distance);
  }
  if (bit == 0) store_word(static_cast<unsigned int*>(words) + place / GRAFT_BITS_PER_WORD, word, owned);
}

// Adds the numbers of all threads of the block, each of which is at most `most`, to a counter in global memory. One
// thread of the block changes the counter, because a GPU changes one address only about once in a clock. The barriers
// add up one binary digit of the numbers each, so no shared memory is necessary, all of which may be the callback's.
GRAFT_BITS_INLINE void add_to(unsigned long long* counter, unsigned int number, unsigned int most) {
  unsigned long long total = 0;
#pragma unroll
  for (unsigned int digit = 1; digit <= most; digit *= 2)
    total += static_cast<unsigned long long>(__syncthreads_count((number & digit) != 0)) * digit;
  if (threadIdx.x == 0) atomicAdd(counter, total);
}

}  // namespace graft_bits
