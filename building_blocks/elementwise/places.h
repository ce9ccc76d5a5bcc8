// Where the elements of a thread are in arrays of any shape: what the building blocks for views (views.cu, rows.cu)
// have in common.
#define GRAFT_PLACES
#ifndef GRAFT_CONTRACT  // generated text may have included contract.h already
#include "contract.h"
#endif
#ifndef GRAFT_TILE  // generated text may have included tile.cu already
#include "tile.cu"
#endif

namespace {

// Where a thread's element is in each array, and its index.
struct Place {
  const unsigned char* inputs[GRAFT_MAX_INPUTS];
  unsigned char* outputs[GRAFT_MAX_OUTPUTS];
  long long index;
};

// Moves by so many elements of dimension d.
GRAFT_INLINE void move(Place& place, const graft_shape* shape, unsigned int d, long long elements) {
  const long long* const strides = reinterpret_cast<const long long*>(shape + 1) + d;
  place.index += elements * shape->index_strides[d];
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) place.inputs[k] += elements * strides[k * GRAFT_MAX_RANK];
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k)
    place.outputs[k] += elements * strides[(graft_input_count() + k) * GRAFT_MAX_RANK];
}

GRAFT_INLINE const graft_shape* shape_of(const graft_launch* launch) {
  return reinterpret_cast<const graft_shape*>(reinterpret_cast<const unsigned char*>(launch) + graft_shape_place());
}

GRAFT_INLINE unsigned long long divide(const graft_shape* shape, unsigned int d, unsigned long long number) {
  if (shape->is_long) return number / shape->extents[d];
  const unsigned int n = static_cast<unsigned int>(number);
  return (__umulhi(n, shape->multipliers[d]) + n) >> shape->shifts[d];
}

// Finds the row of a thread: its first element, whose place in the innermost dimension is 0. Returns the thread's place
// in that dimension. The outermost dimension takes what is left, without a division.
GRAFT_INLINE unsigned long long find_row(Place& place, const graft_launch* launch, const graft_shape* shape,
                                         unsigned long long thread) {
  place.index = shape->first_index;
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) place.inputs[k] = array_of(launch, k);
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) place.outputs[k] = array_of(launch, graft_input_count() + k);
  const unsigned int last = shape->rank - 1;
  if (last == 0) return thread;
  unsigned long long rest = divide(shape, 0, thread);
  const unsigned long long inner = thread - rest * shape->extents[0];
#pragma unroll 1
  for (unsigned int d = 1; d < last; ++d) {
    const unsigned long long next = divide(shape, d, rest);
    move(place, shape, d, static_cast<long long>(rest - next * shape->extents[d]));
    rest = next;
  }
  move(place, shape, last, static_cast<long long>(rest));
  return inner;
}

}  // namespace
