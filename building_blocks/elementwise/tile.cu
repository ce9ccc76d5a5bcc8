// Does the work of one thread, for every signature: loads the thread's elements, calls the callback, stores the
// results.
//
// This file is written once, without types. It gets sizes, counts and tuning from functions of the adapter and of the
// policy fragments, which return constants. Link-time optimisation inlines these functions and unrolls the loops over
// arrays. The result is the code that one would write by hand for the signature.
//
// The optimiser can do this only under the conditions below. When one of these conditions did not hold, shares (buffers
// of type graft_share, which the compiler must place in registers) stayed in local memory, or the code was slow:
//
//   * every size is a link-time constant,
//   * data moves in typed words, never by memcpy,
//   * all loads come before the callback and all stores after it, so that an output may be in place of an input and
//     aliasing does not matter,
//   * loads are ordinary ld.global, because ld.global.nc is undefined if an output is in place of the input,
//   * every loop that indexes a register buffer is unrolled,
//   * a loop over an array's words, whose count depends on the array, has two levels (see load_fours).
//
// Every branch of the code in this file takes time in every link, even if the optimiser then removes the branch. So
// this file uses few widths of words, and passes no array of pointers between building block and adapter.
//
// This file is compiled a second time, with GRAFT_SELECTIVE defined as true, for selective callbacks (callbacks that
// return graft::Store). This variant stores a vector in wide words if all of its elements are stored, and otherwise
// stores each element by itself or not at all. It uses no shared memory, because threads that store through shared
// memory wait for each other.
//
// Each of the two variants is also compiled with GRAFT_HAS_BITS defined as true, for callbacks with bit arrays (arrays
// of graft::Bit). bits.h loads and stores the bits, and load_element in adapter.h says how they are in a share.
#define GRAFT_TILE
#ifndef GRAFT_CONTRACT  // generated text may have included contract.h already
#include "contract.h"
#endif

#ifndef GRAFT_HAS_BITS
#define GRAFT_HAS_BITS false
#endif
#if GRAFT_HAS_BITS
#ifndef GRAFT_BITS  // generated text may have included bits.h already
#include "bits.h"
#endif
#endif

namespace {

#ifndef GRAFT_SELECTIVE
#define GRAFT_SELECTIVE false
#endif

// Loads and stores are up to 16 bytes wide, but shares are written and read in parts of at most 4 bytes, here and in
// the adapter alike. A share that was written as uint4, or read as doubles or structs, stayed in local memory.
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

// Copies `bytes` bytes from an array into a share. Word is the type of the loads, Part the type of the writes to the
// share.
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

// In tiles, loops over words narrower than 16 bytes have two levels, and the inner loop has a constant count. The
// compiler for sm_100 and newer (NVVM 20) unrolls inner loops before it unrolls the loop over the arrays, when the
// number of words is not yet a constant. With this compiler a single loop over more than four words was not unrolled,
// and all shares stayed in local memory: 16,400 bytes a thread for float(float, unsigned char, const S&) and similar
// signatures. float4(float4, Rgb) with 32-byte elements had the same problem on sm_75 to sm_90.
GRAFT_INLINE void load_fours(graft_share& share, const unsigned char* from, int count) {
  const unsigned int* words = reinterpret_cast<const unsigned int*>(from);
#pragma unroll
  for (int i = 0; i < count; i += 4) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (i + j < count) share.words[i + j] = words[i + j];
  }
}

GRAFT_INLINE void store_fours(unsigned char* to, const graft_share& share, int count) {
  unsigned int* words = reinterpret_cast<unsigned int*>(to);
#pragma unroll
  for (int i = 0; i < count; i += 4) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (i + j < count) words[i + j] = share.words[i + j];
  }
}

// Loads a share whose size is not a multiple of 4 bytes (a share of one or two elements of such a size). The parts are
// as wide as those of `Cell` in adapter.h, 2 bytes or 1 depending on the element's alignment, because a share that was
// written in 2-byte parts and read in bytes stayed in local memory.
GRAFT_INLINE void load_ragged(graft_share& share, const unsigned char* from, int bytes, int alignment) {
  unsigned char* parts = reinterpret_cast<unsigned char*>(share.words);
#pragma unroll
  for (int i = 0; i < bytes; i += 2) {
    if (alignment % 2 == 0) {
      *reinterpret_cast<unsigned short*>(parts + i) = *reinterpret_cast<const unsigned short*>(from + i);
    } else {
      parts[i] = from[i];
      if (i + 1 < bytes) parts[i + 1] = from[i + 1];
    }
  }
}

// Loads one element of `bytes` bytes. Address and size are multiples of the largest power of two that divides `unit`.
// `bytes` and `unit` are link-time constants, so the optimiser keeps only one of the cases.
GRAFT_INLINE void load_element(graft_share& share, const unsigned char* from, int bytes, int unit) {
  if (unit % static_cast<int>(sizeof(uint2)) == 0) load_words<uint2, unsigned int>(share, from, bytes);
  else if (unit % 4 == 0) load_words<unsigned int, unsigned int>(share, from, bytes);
  else if (unit % 2 == 0) load_words<unsigned short, unsigned short>(share, from, bytes);
  else load_words<unsigned char, unsigned char>(share, from, bytes);
}

GRAFT_INLINE void store_element(unsigned char* to, const graft_share& share, int bytes, int unit) {
  if (unit % static_cast<int>(sizeof(uint2)) == 0) store_words<uint2, unsigned int>(to, share, bytes);
  else if (unit % 4 == 0) store_words<unsigned int, unsigned int>(to, share, bytes);
  else if (unit % 2 == 0) store_words<unsigned short, unsigned short>(to, share, bytes);
  else store_words<unsigned char, unsigned char>(to, share, bytes);
}

GRAFT_INLINE unsigned char* array_of(const graft_launch* launch, int array) {
  return reinterpret_cast<unsigned char* const*>(launch + 1)[array];
}

// Whether an array with elements of this size is a bit array.
GRAFT_INLINE bool has_bits(int size) {
  return GRAFT_HAS_BITS && size == GRAFT_BIT_SIZE;
}

#if GRAFT_HAS_BITS
// Returns the graft_mask that follows those of `before` other bit arrays.
GRAFT_INLINE const graft_mask& mask_at(const graft_launch* launch, int before) {
  void* const* const pointers = reinterpret_cast<void* const*>(launch + 1);
  return reinterpret_cast<const graft_mask*>(pointers + graft_input_count() + graft_output_count())[before];
}
GRAFT_INLINE int masks_before_input(int input) {
  int masks = 0;
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) masks += k < input && has_bits(graft_input_size(k)) ? 1 : 0;
  return masks;
}
GRAFT_INLINE int masks_before_output(int output) {
  int masks = masks_before_input(graft_input_count());
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) masks += k < output && has_bits(graft_output_size(k)) ? 1 : 0;
  return masks;
}

// Loads the bits of one vector of an input, or of one element if `width` is 1, into a share.
GRAFT_INLINE void load_bits(const graft_launch* launch, int input, unsigned long long first, int width,
                            graft_share& share) {
  const unsigned int bits =
      graft_bits::load(array_of(launch, input), mask_at(launch, masks_before_input(input)), first, width);
#pragma unroll
  for (int i = 0; i < width; ++i) share.words[i] = bits & 1u << i;
}

GRAFT_INLINE void store_bit(const graft_launch* launch, int output, unsigned long long index,
                            const graft_share& share) {
  graft_bits::store_one(launch, array_of(launch, graft_input_count() + output),
                        mask_at(launch, masks_before_output(output)), index, (share.words[0] & 1) != 0);
}

// Stores all vectors of a thread to each bit array, and counts the zeros. `outputs` and `stored` are those of
// graft_tile. All threads of the block call this function together.
GRAFT_INLINE void store_bit_arrays(const graft_launch* launch, unsigned long long first, const graft_share* outputs,
                                   const unsigned int* stored) {
  const int width = graft_vector_width();
  const int outputs_of_vector = GRAFT_MAX_OUTPUT_VECTORS / graft_vectors_per_thread();
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) {
    if (!has_bits(graft_output_size(k))) continue;
    const graft_mask& mask = mask_at(launch, masks_before_output(k));
    unsigned int zeros = 0;
#pragma unroll
    for (int v = 0; v < graft_vectors_per_thread(); ++v) {
      const unsigned int bits = outputs[v * outputs_of_vector + k].words[0];
      zeros += static_cast<unsigned int>(__popc(stored[v] & ~bits));
      graft_bits::store_vector(array_of(launch, graft_input_count() + k), mask, first + v * blockDim.x * width, bits,
                               stored[v], GRAFT_SELECTIVE, width);
    }
    if (mask.zeros != nullptr) graft_bits::add_to(mask.zeros, zeros, width * graft_vectors_per_thread());
  }
}
#endif

// Loads a share from an address that is aligned only to its element type. The function reads whole 4-byte words and
// shifts them into place, so it may also read up to 3 bytes before and 4 bytes after the elements of the share;
// GRAFT_ALIGNMENT_MARGIN keeps these reads inside the array. For elements aligned to 4 bytes or more the shift is the
// constant 0, and the assembler removes the shifts and the additional word.
GRAFT_INLINE void load_shifted(graft_share& share, const unsigned char* from, int bytes, int alignment) {
  const unsigned int beyond =
      alignment < 4 ? static_cast<unsigned int>(reinterpret_cast<unsigned long long>(from) & 3) : 0;
  const unsigned int* words = reinterpret_cast<const unsigned int*>(from - beyond);
  unsigned int low = words[0];
#pragma unroll
  for (int i = 0; i < bytes / 4; i += 4) {
#pragma unroll
    for (int j = 0; j < 4; ++j)
      if (i + j < bytes / 4) {
        const unsigned int high = words[i + j + 1];
        share.words[i + j] = __funnelshift_r(low, high, beyond * 8);
        low = high;
      }
  }
}

enum : int { kMaxVectors = 4 };  // the largest value of graft_vectors_per_thread()

// Whether some input can be misaligned for 16-byte loads although its elements are aligned to their type.
GRAFT_INLINE bool inputs_may_differ_in_alignment() {
  bool may = false;
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k)
    may = may || (!has_bits(graft_input_size(k)) && graft_input_alignment(k) < GRAFT_WORD_BYTES);
  return may;
}

// Loads one vector from each input. With `Unlike`, addresses are aligned only to the element types (the arrays are
// aligned differently); otherwise each vector is aligned to the widest word that its size allows.
template <bool Unlike>
GRAFT_INLINE void load_group(const graft_launch* launch, unsigned long long first, graft_share* inputs) {
  const int width = graft_vector_width();
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) {
    const int size = graft_input_size(k);
#if GRAFT_HAS_BITS
    if (has_bits(size)) {
      load_bits(launch, k, first, width, inputs[k]);
      continue;
    }
#endif
    const int bytes = width * size;
    const int alignment = Unlike ? graft_input_alignment(k) : bytes;
    const unsigned char* from = array_of(launch, k) + first * size;
    if (bytes % 4 != 0) load_ragged(inputs[k], from, bytes, graft_input_alignment(k));
    else if (alignment % GRAFT_WORD_BYTES == 0) load_words<uint4, unsigned int>(inputs[k], from, bytes);
    else if (Unlike) load_shifted(inputs[k], from, bytes, alignment);
    else load_fours(inputs[k], from, bytes / 4);
  }
}

#ifdef __CUDACC__
// Stores a share of 2 to 4 words through shared memory, so that neighbouring threads store neighbouring 16-byte words.
// When each thread stored its own 48 bytes (16 elements of 3 bytes, or 4 of 12), every store instruction left cache
// lines partly written, and the kernel reached 2880 GB/s instead of 4000 GB/s. Loads of 48 bytes for each thread lose
// no bandwidth. `again` says that this thread block has already used `stage`.
GRAFT_INLINE void store_staged(unsigned char* to, const graft_share& share, int words, uint4* stage, bool again) {
  if (again) __syncthreads();  // other threads may still read the previous array's words
#pragma unroll
  for (int i = 0; i < words; ++i) join(stage[threadIdx.x * words + i], share.words + i * 4);
  __syncthreads();
  uint4* const block = reinterpret_cast<uint4*>(to) - threadIdx.x * words;
#pragma unroll
  for (int i = 0; i < words; ++i) block[i * blockDim.x + threadIdx.x] = stage[i * blockDim.x + threadIdx.x];
}
#endif

// Stores one vector to each output; `v` is the number of the vector in its thread. The host places tiles so that
// outputs are always aligned to the words that are stored.
GRAFT_INLINE void store_group(const graft_launch* launch, unsigned long long first, const graft_share* outputs,
                              [[maybe_unused]] int v) {
  const int width = graft_vector_width();
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) {
    if (has_bits(graft_output_size(k))) continue;
    const int bytes = width * graft_output_size(k);
    unsigned char* to = array_of(launch, graft_input_count() + k) + first * graft_output_size(k);
#ifdef __CUDACC__
    if (!GRAFT_SELECTIVE && graft_may_use_shared() && bytes > GRAFT_WORD_BYTES && bytes % GRAFT_WORD_BYTES == 0 &&
        bytes <= GRAFT_WORDS_THROUGH_SHARED * GRAFT_WORD_BYTES) {
      __shared__ uint4 stage[GRAFT_BLOCK_THREADS * GRAFT_WORDS_THROUGH_SHARED];
      store_staged(to, outputs[k], bytes / GRAFT_WORD_BYTES, stage, v > 0 || k > 0);
      continue;
    }
#endif
    if (bytes % GRAFT_WORD_BYTES == 0) store_words<uint4, unsigned int>(to, outputs[k], bytes);
    else if (bytes % 4 == 0) store_fours(to, outputs[k], bytes / 4);
    else if (bytes % 2 == 0) store_words<unsigned short, unsigned short>(to, outputs[k], bytes);
    else store_words<unsigned char, unsigned char>(to, outputs[k], bytes);
  }
}

// Stores the `bytes` bytes that begin at byte `at` of a share.
template <class Word>
GRAFT_INLINE void store_from(unsigned char* to, const graft_share& share, int at, int bytes) {
  const Word* words = reinterpret_cast<const Word*>(share.words) + at / static_cast<int>(sizeof(Word));
#pragma unroll
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Word)); ++i) reinterpret_cast<Word*>(to)[i] = words[i];
}

// Stores those elements of one vector whose bits in `stored` are set, each by itself. Only for selective callbacks.
GRAFT_INLINE void store_some(const graft_launch* launch, unsigned long long first, const graft_share* outputs,
                             unsigned int stored) {
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) {
    const int size = graft_output_size(k);
    if (has_bits(size)) continue;
    const int unit = size | graft_output_alignment(k);
    unsigned char* to = array_of(launch, graft_input_count() + k) + first * size;
#pragma unroll
    for (int i = 0; i < graft_vector_width(); ++i) {
      if ((stored >> i & 1) == 0) continue;
      if (unit % 4 == 0) store_from<unsigned int>(to + i * size, outputs[k], i * size, size);
      else if (unit % 2 == 0) store_from<unsigned short>(to + i * size, outputs[k], i * size, size);
      else store_from<unsigned char>(to + i * size, outputs[k], i * size, size);
    }
  }
}

}  // namespace

// graft chooses the vector width so that nearly every share has a multiple of 16 bytes; other shares are loaded and
// stored in narrower words. The branch on `differently_aligned` is around the loads of all arrays, because one branch
// for each array kept the shares in local memory.
GRAFT_ANSWER void graft_tile(const graft_launch* launch, unsigned long long first) {
  const int width = graft_vector_width();
  const unsigned int stride = blockDim.x * width;
  graft_share inputs[kMaxVectors][GRAFT_MAX_INPUTS];
  const int outputs_of_vector = GRAFT_MAX_OUTPUT_VECTORS / graft_vectors_per_thread();
  graft_share outputs[GRAFT_MAX_OUTPUT_VECTORS];
  if (launch->differently_aligned && inputs_may_differ_in_alignment()) {
#pragma unroll
    for (int v = 0; v < graft_vectors_per_thread(); ++v) load_group<true>(launch, first + v * stride, inputs[v]);
  } else {
#pragma unroll
    for (int v = 0; v < graft_vectors_per_thread(); ++v) load_group<false>(launch, first + v * stride, inputs[v]);
  }
  unsigned int stored[kMaxVectors] = {};  // bit i: whether element i of the vector is stored
#pragma unroll
  for (int v = 0; v < graft_vectors_per_thread(); ++v)
#pragma unroll
    for (int i = 0; i < width; ++i)
      stored[v] |= graft_apply(inputs[v], outputs + v * outputs_of_vector, i, first + v * stride + i, launch) << i;
#pragma unroll
  for (int v = 0; v < graft_vectors_per_thread(); ++v) {
    const graft_share* const of_vector = outputs + v * outputs_of_vector;
    if (!GRAFT_SELECTIVE || stored[v] == (1u << width) - 1) store_group(launch, first + v * stride, of_vector, v);
    else store_some(launch, first + v * stride, of_vector, stored[v]);
  }
#if GRAFT_HAS_BITS
  store_bit_arrays(launch, first, outputs, stored);
#endif
}

GRAFT_ANSWER void graft_element(const graft_launch* launch, unsigned long long index) {
  graft_share inputs[GRAFT_MAX_INPUTS];
  graft_share outputs[GRAFT_MAX_OUTPUTS];
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) {
    const int size = graft_input_size(k);
#if GRAFT_HAS_BITS
    if (has_bits(size)) {
      load_bits(launch, k, index, 1, inputs[k]);
      continue;
    }
#endif
    load_element(inputs[k], array_of(launch, k) + index * size, size, size | graft_input_alignment(k));
  }
  const unsigned int is_stored = graft_apply(inputs, outputs, 0, index, launch);
  if (GRAFT_SELECTIVE && is_stored == 0) return;
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) {
    const int size = graft_output_size(k);
#if GRAFT_HAS_BITS
    if (has_bits(size)) {
      store_bit(launch, k, index, outputs[k]);
      continue;
    }
#endif
    store_element(array_of(launch, graft_input_count() + k) + index * size, outputs[k], size,
                  size | graft_output_alignment(k));
  }
}
