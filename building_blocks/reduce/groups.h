// Loads of a result's elements from arrays of any shape, on the device. Included after lanes.h and places.h.
#pragma once

namespace graft_adapter {

// Loads `valid` neighbours along the innermost dimension of elements, of which the first is at `from`. `rest` elements
// lie there in the array, these included.
template <class Hooks, class T>
__device__ __forceinline__ void load_neighbours(const typename Hooks::view_arguments& all, int k,
                                                const unsigned char* from, int valid, unsigned long long rest,
                                                graft_share& share) {
  if ((all.shape.contiguous >> k & 1) != 0 && is_in_words<T, Hooks::width>(from, rest)) {
    load_group<T, Hooks::width>(from, 0, share);
    return;
  }
  const long long stride = all.strides[k][0];
#pragma unroll
  for (int place = 0; place < Hooks::width; ++place, from += stride)
    if (place < valid) load_one<T>(from, share, place);
}

// The same for all inputs: the neighbours begin `steps` elements behind `at`.
template <class Hooks, class... T, int... K>
__device__ __forceinline__ void load_neighbours_of_all(Types<T...>, Indices<K...>,
                                                       const typename Hooks::view_arguments& all,
                                                       const unsigned char* const* at, long long steps, int valid,
                                                       unsigned long long rest, graft_share* shares) {
  (load_neighbours<Hooks, T>(all, K, at[K] + steps * all.strides[K][0], valid, rest, shares[K]), ...);
}
template <class Hooks>
__device__ __forceinline__ void load_neighbours(const typename Hooks::view_arguments& all,
                                                const unsigned char* const* at, long long steps, int valid,
                                                unsigned long long rest, graft_share* shares) {
  load_neighbours_of_all<Hooks>(typename Hooks::inputs(), IndicesTo<Hooks::input_count>(), all, at, steps, valid, rest,
                                shares);
}

// Loads one element of each input.
template <class Hooks, class... T, int... K>
__device__ __forceinline__ void load_element_of_all(Types<T...>, Indices<K...>, const unsigned char* const* at,
                                                    graft_share* shares) {
  (load_one<T>(at[K], shares[K], 0), ...);
}
template <class Hooks>
__device__ __forceinline__ void load_element(const unsigned char* const* at, graft_share* shares) {
  load_element_of_all<Hooks>(typename Hooks::inputs(), IndicesTo<Hooks::input_count>(), at, shares);
}

}  // namespace graft_adapter
