// Where the elements of results are in arrays of any shape, on the device and on the host. Included after hooks.h.
#pragma once

namespace graft_adapter {

__device__ __forceinline__ unsigned long long divide(unsigned long long number, const graft_reduce_divider& by) {
  return (__umul64hi(number, by.multiplier) + number) >> by.shift;
}

// The elements of a segment: none if its offsets descend, and none outside of the arrays.
struct Segment {
  unsigned long long begin, count;

  __device__ __forceinline__ Segment(const graft_reduce_shape& shape, unsigned long long number) {
    const long long first = offset(shape, number), next = offset(shape, number + 1);
    const auto elements = static_cast<long long>(shape.elements);
    const long long from = first < 0 ? 0 : first, to = next > elements ? elements : next;
    begin = static_cast<unsigned long long>(from);
    count = to > from ? static_cast<unsigned long long>(to - from) : 0;
  }
  static __device__ __forceinline__ long long offset(const graft_reduce_shape& shape, unsigned long long i) {
    if (shape.offset_kind == GRAFT_REDUCE_OFFSETS_I32) return static_cast<const int*>(shape.offsets)[i];
    if (shape.offset_kind == GRAFT_REDUCE_OFFSETS_U32) return static_cast<const unsigned int*>(shape.offsets)[i];
    const long long wide = static_cast<const long long*>(shape.offsets)[i];
    return shape.offset_kind == GRAFT_REDUCE_OFFSETS_U64 && wide < 0 ? ~(1ull << 63) : wide;
  }
};

// Where the first element of a result is in each input, and the result in each output.
template <class Hooks>
struct ResultPlace {
  const unsigned char* in[Hooks::array_count];
  void* out[Hooks::output_count];

  __device__ __forceinline__ void move(const typename Hooks::view_arguments& all, unsigned int d,
                                       unsigned long long steps) {
#pragma unroll
    for (int k = 0; k < Hooks::array_count; ++k) in[k] += static_cast<long long>(steps) * all.strides[k][d];
#pragma unroll
    for (int k = 0; k < Hooks::output_count; ++k)
      out[k] =
          static_cast<unsigned char*>(out[k]) + static_cast<long long>(steps) * all.strides[Hooks::array_count + k][d];
  }

  // Moves the inputs by elements along the innermost dimension.
  __device__ __forceinline__ void move_inputs(const typename Hooks::view_arguments& all, unsigned long long elements) {
#pragma unroll
    for (int k = 0; k < Hooks::array_count; ++k) in[k] += static_cast<long long>(elements) * all.strides[k][0];
  }

  // Finds the result `number`. Its dimensions are those from `first` on, of which the last takes what is left.
  __device__ __forceinline__ void find(const typename Hooks::view_arguments& all, unsigned int first,
                                       unsigned long long number) {
#pragma unroll
    for (int k = 0; k < Hooks::array_count; ++k) in[k] = static_cast<const unsigned char*>(all.arrays.in[k]);
#pragma unroll
    for (int k = 0; k < Hooks::output_count; ++k) out[k] = all.call.outputs[k];
    unsigned int d = first;
#pragma unroll 1
    for (; d + 1 < all.shape.rank; ++d) {
      const unsigned long long next = divide(number, all.shape.dividers[d]);
      move(all, d, number - next * all.shape.dividers[d].extent);
      number = next;
    }
    if (d < all.shape.rank) move(all, d, number);
  }
};

// Where an element of a result is: its coordinate in the innermost dimension of the result's elements, and how many
// bytes the others take each input from the result's first element.
template <class Hooks>
struct ElementPlace {
  unsigned long long inner;
  long long bytes[Hooks::array_count];

  __device__ __forceinline__ ElementPlace(const typename Hooks::view_arguments& all, unsigned long long element)
      : inner(element) {
#pragma unroll
    for (int k = 0; k < Hooks::array_count; ++k) bytes[k] = 0;
    if (all.shape.reduced < 2) return;
    unsigned long long number = divide(element, all.shape.dividers[0]);
    inner = element - number * all.shape.dividers[0].extent;
    unsigned int d = 1;
#pragma unroll 1
    for (; d + 1 < all.shape.reduced; ++d) {
      const unsigned long long next = divide(number, all.shape.dividers[d]);
      move(all, d, number - next * all.shape.dividers[d].extent);
      number = next;
    }
    move(all, d, number);
  }

  __device__ __forceinline__ void move(const typename Hooks::view_arguments& all, unsigned int d,
                                       unsigned long long steps) {
#pragma unroll
    for (int k = 0; k < Hooks::array_count; ++k) bytes[k] += static_cast<long long>(steps) * all.strides[k][d];
  }

  __device__ __forceinline__ const unsigned char* in(const typename Hooks::view_arguments& all,
                                                     const unsigned char* result, int k) const {
    return result + bytes[k] + static_cast<long long>(inner) * all.strides[k][0];
  }
};

template <class T>
__device__ __forceinline__ void load_one(const unsigned char* from, graft_share& share, int place) {
  Cell<T> cell;
  if constexpr (__is_assignable(T&, const T&)) cell.value() = *reinterpret_cast<const T*>(from);
  else cell.load(from);
  store_element(cell, share, place);
}

}  // namespace graft_adapter
