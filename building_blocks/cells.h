// Elements on their way between memory and callbacks. Included before adapter.h.
#pragma once

namespace graft_adapter {

#ifndef GRAFT_READING
template <int Bytes>
struct WordOf {
  using type = unsigned char;
};
template <>
struct WordOf<2> {
  using type = unsigned short;
};
template <>
struct WordOf<4> {
  using type = unsigned int;
};

// A cell holds one element on its way between a share (graft_share, the building block's buffer in registers) and the
// callback. The building blocks read and write shares in words of at most 4 bytes, and a cell does the same; only the
// callback sees the element in its own type. The optimiser replaces the cell by registers before it unrolls the
// building block's loops. When elements were read from a share in their own type (a float2 as 8 bytes), all shares
// stayed in local memory.
template <class T>
struct Cell {
  using word = typename WordOf<(alignof(T) < 4 ? alignof(T) : 4)>::type;
  enum : int { count = sizeof(T) / sizeof(word) };
  alignas(T) word words[count];

  __device__ __forceinline__ T& value() { return *reinterpret_cast<T*>(words); }
  // Stores what a callback returned. A struct with const members has no assignment, so its bits are copied.
  template <class Made>
  __device__ __forceinline__ void take(Made&& made) {
    if constexpr (__is_assignable(T&, Made &&)) value() = static_cast<Made&&>(made);
    else load(&reinterpret_cast<const char&>(made));
  }
  __device__ __forceinline__ void zero() {
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = 0;
  }
  __device__ __forceinline__ void load(const void* from) {
#pragma unroll
    for (int i = 0; i < count; ++i) words[i] = static_cast<const word*>(from)[i];
  }
  __device__ __forceinline__ void store(void* to) const {
#pragma unroll
    for (int i = 0; i < count; ++i) static_cast<word*>(to)[i] = words[i];
  }
};
#endif

}  // namespace graft_adapter
