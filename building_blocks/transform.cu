// The elementwise building block: out[i] = callback(in[i]...), for every signature, without knowing any.
//
// It is written once, without types. Sizes, counts and tuning come from functions that the adapter and the policy
// answer with constants; after link-time optimisation the loops over arrays are gone and what is left is the kernel
// that one would have written by hand:
//
//     vector body   load 16-byte words into registers, call the callback per element, store 16-byte words
//     rolled body   one element per turn, neighbours in neighbouring threads; heads, tails, unlike alignments, and
//                   callbacks too heavy to be unrolled
//
// What keeps the compiler able to do so, each seen to break it otherwise: every size is a link-time constant; data
// moves in typed words, never memcpy; all loads come before the callback and all stores after it, so that aliasing
// does not matter and in-place works; the loads are plain (`.nc` is undefined in place); register buffers are never
// indexed in a rolled loop. And what keeps the link short, for every path that this file offers is optimised away in
// every link: few kinds of words, and no array of pointers between block and adapter.
#ifndef GRAFT_CONTRACT  // one program may have it already
#include "contract.h"
#endif

namespace {

#define GRAFT_INLINE __device__ __forceinline__

// Wide words in memory, parts of 4 bytes at most in registers: the adapter reads and writes them in the same shape. A
// share written as vectors, or read as doubles or structs, stayed in local memory.
GRAFT_INLINE void split(uint4 word, unsigned int* parts) {
  parts[0] = word.x;
  parts[1] = word.y;
  parts[2] = word.z;
  parts[3] = word.w;
}
GRAFT_INLINE void split(uint2 word, unsigned int* parts) {
  parts[0] = word.x;
  parts[1] = word.y;
}
template <class Word>
GRAFT_INLINE void split(Word word, Word* part) {
  *part = word;
}

GRAFT_INLINE void join(uint4& word, const unsigned int* parts) {
  word = {parts[0], parts[1], parts[2], parts[3]};
}
GRAFT_INLINE void join(uint2& word, const unsigned int* parts) {
  word = {parts[0], parts[1]};
}
template <class Word>
GRAFT_INLINE void join(Word& word, const Word* part) {
  word = *part;
}

template <class Word, class Part>
GRAFT_INLINE void load_words(graft_share& share, const unsigned char* from, int bytes) {
  Part* parts = reinterpret_cast<Part*>(share.words);
#pragma unroll
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Word)); ++i)
    split(reinterpret_cast<const Word*>(from)[i], parts + i * (sizeof(Word) / sizeof(Part)));
}

template <class Word, class Part>
GRAFT_INLINE void store_words(unsigned char* to, const graft_share& share, int bytes) {
  const Part* parts = reinterpret_cast<const Part*>(share.words);
#pragma unroll
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Word)); ++i)
    join(reinterpret_cast<Word*>(to)[i], parts + i * (sizeof(Word) / sizeof(Part)));
}

// `bytes` at an address that is a multiple of `unit`, a power of two. Both are link-time constants, so one case
// remains.
template <class Widest>
GRAFT_INLINE void load_share(graft_share& share, const unsigned char* from, int bytes, int unit) {
  if (unit % static_cast<int>(sizeof(Widest)) == 0) load_words<Widest, unsigned int>(share, from, bytes);
  else if (unit % 4 == 0) load_words<unsigned int, unsigned int>(share, from, bytes);
  else if (unit % 2 == 0) load_words<unsigned short, unsigned short>(share, from, bytes);
  else load_words<unsigned char, unsigned char>(share, from, bytes);
}

template <class Widest>
GRAFT_INLINE void store_share(unsigned char* to, const graft_share& share, int bytes, int unit) {
  if (unit % static_cast<int>(sizeof(Widest)) == 0) store_words<Widest, unsigned int>(to, share, bytes);
  else if (unit % 4 == 0) store_words<unsigned int, unsigned int>(to, share, bytes);
  else if (unit % 2 == 0) store_words<unsigned short, unsigned short>(to, share, bytes);
  else store_words<unsigned char, unsigned char>(to, share, bytes);
}

GRAFT_INLINE unsigned char* array_of(const graft_launch* launch, int array) {
  return reinterpret_cast<unsigned char* const*>(launch + 1)[array];
}

constexpr int kMaxVectors = 4;

// A thread's groups of `width` elements side by side, a block's width apart. The policy makes nearly every share a
// multiple of 16 bytes; what is not moves in the words that its size allows.
GRAFT_INLINE void vector_tile(const graft_launch* launch, unsigned long long first) {
  const int width = graft_vector_width();
  const unsigned int stride = GRAFT_BLOCK_THREADS * width;
  graft_share inputs[kMaxVectors][GRAFT_MAX_INPUTS];
  graft_share outputs[kMaxVectors][GRAFT_MAX_OUTPUTS];
#pragma unroll
  for (int v = 0; v < graft_vectors_per_thread(); ++v)
#pragma unroll
    for (int k = 0; k < graft_input_count(); ++k) {
      const int size = graft_input_size(k);
      load_share<uint4>(inputs[v][k], array_of(launch, k) + (first + v * stride) * size, width * size, width * size);
    }
#pragma unroll
  for (int v = 0; v < graft_vectors_per_thread(); ++v)
#pragma unroll
    for (int i = 0; i < width; ++i) graft_apply(inputs[v], outputs[v], i, first + v * stride + i, launch);
#pragma unroll
  for (int v = 0; v < graft_vectors_per_thread(); ++v)
#pragma unroll
    for (int k = 0; k < graft_output_count(); ++k) {
      const int size = graft_output_size(k);
      store_share<uint4>(array_of(launch, graft_input_count() + k) + (first + v * stride) * size, outputs[v][k],
                         width * size, width * size);
    }
}

GRAFT_INLINE void rolled_range(const graft_launch* launch, unsigned long long begin, unsigned long long end) {
#pragma unroll 1
  for (unsigned long long i = begin + threadIdx.x; i < end; i += GRAFT_BLOCK_THREADS) {
    graft_share inputs[GRAFT_MAX_INPUTS];
    graft_share outputs[GRAFT_MAX_OUTPUTS];
#pragma unroll
    for (int k = 0; k < graft_input_count(); ++k) {
      const int size = graft_input_size(k);
      load_share<uint2>(inputs[k], array_of(launch, k) + i * size, size, size | graft_input_alignment(k));
    }
    graft_apply(inputs, outputs, 0, i, launch);
#pragma unroll
    for (int k = 0; k < graft_output_count(); ++k) {
      const int size = graft_output_size(k);
      store_share<uint2>(array_of(launch, graft_input_count() + k) + i * size, outputs[k], size,
                         size | graft_output_alignment(k));
    }
  }
}

}  // namespace

// One block of threads handles one tile. The elements in front of the first aligned one (the head) belong to block 0.
GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  const unsigned int tile = GRAFT_BLOCK_THREADS * graft_vector_width() * graft_vectors_per_thread();
  const unsigned long long begin = launch->head + static_cast<unsigned long long>(blockIdx.x) * tile;
  unsigned long long rolled_begin = blockIdx.x == 0 ? 0 : begin;
  unsigned long long rolled_end = begin + tile < launch->count ? begin + tile : launch->count;
  if (graft_body() == GRAFT_BODY_VECTOR && launch->aligned && begin + tile <= launch->count) {
    vector_tile(launch, begin + threadIdx.x * graft_vector_width());
    rolled_end = blockIdx.x == 0 ? launch->head : rolled_begin;
  }
  rolled_range(launch, rolled_begin, rolled_end);
}
