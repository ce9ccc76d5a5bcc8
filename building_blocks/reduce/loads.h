// Loads of elements in groups (order.h), for the kernels of reductions. Included after hooks.h.
#pragma once

namespace graft_adapter {

// Loads 16 bytes from an address that is aligned to 4 bytes, and with `Shifts` to none: whole words are then shifted
// into place, of which the first may have up to 3 bytes in front of the array, and the last behind the group. The
// instructions are predicated, because branches take longer to compile, and volatile, so that they stay behind the wait
// for earlier kernels.
template <bool Shifts>
__device__ __forceinline__ void load_16_bytes(unsigned long long address, unsigned int* words) {
  const unsigned int beyond = static_cast<unsigned int>(address) & 15;
  if constexpr (Shifts) {
    const unsigned int shift = (beyond & 3) * 8;
    asm volatile(
        "{ .reg .pred whole, more; .reg .b32 last; setp.eq.u32 whole, %4, 0; setp.ne.u32 more, %5, 0; mov.b32 last, 0; "
        "@whole ld.global.v4.b32 {%0, %1, %2, %3}, [%6]; @!whole ld.global.b32 %0, [%6]; "
        "@!whole ld.global.b32 %1, [%6+4]; @!whole ld.global.b32 %2, [%6+8]; @!whole ld.global.b32 %3, [%6+12]; "
        "@more ld.global.b32 last, [%6+16]; shf.r.wrap.b32 %0, %0, %1, %5; shf.r.wrap.b32 %1, %1, %2, %5; "
        "shf.r.wrap.b32 %2, %2, %3, %5; shf.r.wrap.b32 %3, %3, last, %5; }"
        : "=&r"(words[0]), "=&r"(words[1]), "=&r"(words[2]), "=&r"(words[3])
        : "r"(beyond), "r"(shift), "l"(__cvta_generic_to_global(reinterpret_cast<const void*>(address & ~3ull))));
  } else {
    asm volatile(
        "{ .reg .pred whole; setp.eq.u32 whole, %4, 0; @whole ld.global.v4.b32 {%0, %1, %2, %3}, [%5]; "
        "@!whole ld.global.b32 %0, [%5]; @!whole ld.global.b32 %1, [%5+4]; @!whole ld.global.b32 %2, [%5+8]; "
        "@!whole ld.global.b32 %3, [%5+12]; }"
        : "=&r"(words[0]), "=&r"(words[1]), "=&r"(words[2]), "=&r"(words[3])
        : "r"(beyond), "l"(__cvta_generic_to_global(reinterpret_cast<const void*>(address))));
  }
}

// Loads a group, or one element, of an input into a share. The address is aligned only to the element's type.
template <class T, int Width>
__device__ __forceinline__ void load_group(const void* array, unsigned long long group, graft_share& share) {
  constexpr int bytes = Width * static_cast<int>(sizeof(T));
  const unsigned long long address = reinterpret_cast<unsigned long long>(array) + group * bytes;
  if constexpr (bytes % 16 == 0) {
#pragma unroll
    for (int i = 0; i < bytes; i += 16) load_16_bytes<(alignof(T) < 4)>(address + i, share.words + i / 4);
  } else {
    using part = typename Cell<T>::word;
#pragma unroll
    for (int i = 0; i < bytes / static_cast<int>(sizeof(part)); ++i)
      reinterpret_cast<part*>(share.words)[i] = reinterpret_cast<const part*>(address)[i];
  }
}

// Stores a group, or one element, from a share. The address is aligned only to the element's type.
template <class T, int Width>
__device__ __forceinline__ void store_group(void* array, unsigned long long group, const graft_share& share) {
  constexpr int bytes = Width * static_cast<int>(sizeof(T));
  unsigned char* const to = static_cast<unsigned char*>(array) + group * bytes;
  if constexpr (bytes % 16 == 0) {
    if ((reinterpret_cast<unsigned long long>(to) & 15) == 0) {
#pragma unroll
      for (int i = 0; i < bytes / 16; ++i)
        reinterpret_cast<uint4*>(to)[i] =
            uint4{share.words[4 * i], share.words[4 * i + 1], share.words[4 * i + 2], share.words[4 * i + 3]};
      return;
    }
  }
  using part = typename Cell<T>::word;
#pragma unroll
  for (int i = 0; i < bytes / static_cast<int>(sizeof(part)); ++i)
    reinterpret_cast<part*>(to)[i] = reinterpret_cast<const part*>(share.words)[i];
}

// Whether an array of T is not aligned to words, of which its elements are parts.
template <class T>
__device__ __forceinline__ bool is_shifted(const void* array) {
  return alignof(T) < 4 && (reinterpret_cast<unsigned long long>(array) & 3) != 0;
}

// The arrays of whole.h: arrays.h, or exact.h.
template <class Hooks>
struct WholeArrays;

// How many groups of a thread are under way at a time. More take registers from other threads.
template <class Hooks>
constexpr int groups_under_way = Hooks::width >= 8 || Hooks::taken_count > 2 || sizeof(typename Hooks::cell) > 8 ? 1
                                 : Hooks::width == 4 && Hooks::taken_count == 1 && sizeof(typename Hooks::cell) <= 4
                                     ? 4
                                     : 2;

// Whether `Width` neighbours at `from` may be loaded in words: words that are shifted into place take bytes behind
// them, which must belong to the `rest` elements that lie there, these included.
template <class T, int Width>
__device__ __forceinline__ bool is_in_words(const unsigned char* from, unsigned long long rest) {
  if constexpr (alignof(T) >= 4) return rest >= Width;
  else if constexpr (Width * sizeof(T) % 16 != 0) return rest >= Width;
  else return rest >= Width + ((reinterpret_cast<unsigned long long>(from) & 3) != 0 ? GRAFT_ALIGNMENT_MARGIN : 0);
}

}  // namespace graft_adapter
