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
// indexed in a rolled loop.
#ifndef GRAFT_CONTRACT  // one program may have it already
#include "contract.h"
#endif

namespace {

#define GRAFT_INLINE __device__ __forceinline__

// Room for one array's share of a thread: 16 elements of 32 bytes at most (the policy keeps width * size within it).
constexpr int kShareBytes = 512;

struct alignas(32) Share {
  unsigned char bytes[kShareBytes];
};

// The widest power of two, up to 16, that divides `bytes`.
GRAFT_INLINE constexpr int word_of(int bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : bytes % 4 == 0 ? 4 : bytes % 2 == 0 ? 2 : 1;
}

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

// Wide words in memory, parts of 4 bytes at most in registers: the adapter reads and writes them in the same shape. A
// share written as vectors, or read as doubles or structs, stayed in local memory.
template <class Word, class Part>
GRAFT_INLINE void load_words(Share& share, const void* from, int bytes) {
  Part* parts = reinterpret_cast<Part*>(share.bytes);
#pragma unroll
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Word)); ++i)
    split(static_cast<const Word*>(from)[i], parts + i * (sizeof(Word) / sizeof(Part)));
}

template <class Word, class Part>
GRAFT_INLINE void store_words(void* to, const Share& share, int bytes) {
  const Part* parts = reinterpret_cast<const Part*>(share.bytes);
#pragma unroll
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Word)); ++i)
    join(static_cast<Word*>(to)[i], parts + i * (sizeof(Word) / sizeof(Part)));
}

// `bytes` and `word` are link-time constants, so one case remains.
GRAFT_INLINE void load_share(Share& share, const void* from, int bytes, int word) {
  switch (word) {
    case 16:
      return load_words<uint4, unsigned int>(share, from, bytes);
    case 8:
      return load_words<uint2, unsigned int>(share, from, bytes);
    case 4:
      return load_words<unsigned int, unsigned int>(share, from, bytes);
    case 2:
      return load_words<unsigned short, unsigned short>(share, from, bytes);
    default:
      return load_words<unsigned char, unsigned char>(share, from, bytes);
  }
}

GRAFT_INLINE void store_share(void* to, const Share& share, int bytes, int word) {
  switch (word) {
    case 16:
      return store_words<uint4, unsigned int>(to, share, bytes);
    case 8:
      return store_words<uint2, unsigned int>(to, share, bytes);
    case 4:
      return store_words<unsigned int, unsigned int>(to, share, bytes);
    case 2:
      return store_words<unsigned short, unsigned short>(to, share, bytes);
    default:
      return store_words<unsigned char, unsigned char>(to, share, bytes);
  }
}

GRAFT_INLINE unsigned char* array_of(const graft_launch* launch, int array) {
  return reinterpret_cast<unsigned char* const*>(launch + 1)[array];
}

// `wide`: in the words that a whole share allows, else in those that one element allows.
GRAFT_INLINE void load(Share* inputs, const graft_launch* launch, unsigned long long element, int width, bool wide) {
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) {
    const int size = graft_input_size(k);
    load_share(inputs[k], array_of(launch, k) + element * size, width * size,
               word_of(wide ? width * size : size | graft_input_alignment(k)));
  }
}

GRAFT_INLINE void store(const graft_launch* launch, unsigned long long element, const Share* outputs, int width,
                        bool wide) {
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) {
    const int size = graft_output_size(k);
    store_share(array_of(launch, graft_input_count() + k) + element * size, outputs[k], width * size,
                word_of(wide ? width * size : size | graft_output_alignment(k)));
  }
}

// Calls the callback for the element that lies `offset` places into each share.
GRAFT_INLINE void apply(const Share* inputs, Share* outputs, int offset, unsigned long long index,
                        const graft_launch* launch) {
  const void* in[GRAFT_MAX_INPUTS];
  void* out[GRAFT_MAX_OUTPUTS];
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) in[k] = inputs[k].bytes + offset * graft_input_size(k);
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) out[k] = outputs[k].bytes + offset * graft_output_size(k);
  graft_apply(in, out, index, launch);
}

constexpr int kMaxVectors = 4;

GRAFT_INLINE void vector_tile(const graft_launch* launch, unsigned long long first) {
  const int width = graft_vector_width();
  const int vectors = graft_vectors_per_thread();
  const unsigned long long stride = static_cast<unsigned long long>(GRAFT_BLOCK_THREADS) * width;
  Share inputs[kMaxVectors][GRAFT_MAX_INPUTS];
  Share outputs[kMaxVectors][GRAFT_MAX_OUTPUTS];
#pragma unroll
  for (int v = 0; v < vectors; ++v) load(inputs[v], launch, first + v * stride, width, true);
#pragma unroll
  for (int v = 0; v < vectors; ++v)
#pragma unroll
    for (int i = 0; i < width; ++i) apply(inputs[v], outputs[v], i, first + v * stride + i, launch);
#pragma unroll
  for (int v = 0; v < vectors; ++v) store(launch, first + v * stride, outputs[v], width, true);
}

GRAFT_INLINE void rolled_range(const graft_launch* launch, unsigned long long begin, unsigned long long end) {
#pragma unroll 1
  for (unsigned long long i = begin + threadIdx.x; i < end; i += GRAFT_BLOCK_THREADS) {
    Share inputs[GRAFT_MAX_INPUTS];
    Share outputs[GRAFT_MAX_OUTPUTS];
    load(inputs, launch, i, 1, false);
    apply(inputs, outputs, 0, i, launch);
    store(launch, i, outputs, 1, false);
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
