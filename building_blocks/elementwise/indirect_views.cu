// The elementwise building block of the route `indirect` for arrays of any shape. It is compiled to PTX when graft is
// built, and serves callbacks without bit arrays that are in PTX or machine code: in packs, or where NVRTC is missing.
//
// A thread handles one element, or several in the second dimension (graft_shape::second in contract.h). It finds where
// the element is in each array, and passes these places to the thunk, which knows the signature. The places are in
// local memory, so this kernel is slower than those of other routes.
#include "contract.h"

namespace {

struct Places {
  unsigned char* of[GRAFT_MAX_INPUTS + GRAFT_MAX_OUTPUTS];
  long long index;
};

// Moves by so many elements of dimension d.
GRAFT_INLINE void move(Places& places, unsigned int pointers, const graft_shape* shape, unsigned int d,
                       long long elements) {
  const long long* const strides = reinterpret_cast<const long long*>(shape + 1) + d;
  places.index += elements * shape->index_strides[d];
#pragma unroll 1
  for (unsigned int k = 0; k < pointers; ++k) places.of[k] += elements * strides[k * GRAFT_MAX_RANK];
}

}  // namespace

extern "C" __device__ void graft_indirect_views(const graft_launch* launch, const graft_shape* shape,
                                                unsigned int pointers, graft_view_thunk thunk) {
  unsigned int number = blockIdx.x * blockDim.x + threadIdx.x;
  if (number >= launch->count) return;
  Places places;
  places.index = shape->first_index;
#pragma unroll 1
  for (unsigned int k = 0; k < pointers; ++k) places.of[k] = reinterpret_cast<unsigned char* const*>(launch + 1)[k];
  unsigned long long row = 0;
#pragma unroll 1
  for (unsigned int d = 0; d < shape->rank; ++d) {
    const bool is_last = d + 1 == shape->rank;
    const unsigned int next = is_last ? 0 : (__umulhi(number, shape->multipliers[d]) + number) >> shape->shifts[d];
    const unsigned int coordinate = number - next * shape->extents[d];
    number = next;
    if (d == 1) row = coordinate;
    move(places, pointers, shape, d, coordinate);
  }
#pragma unroll 1
  for (;;) {
    thunk(launch, static_cast<unsigned long long>(places.index), reinterpret_cast<void* const*>(places.of));
    row += shape->extents[1];
    if (row >= shape->second) return;  // 0: the thread has one element
    move(places, pointers, shape, 1, shape->extents[1]);
  }
}
