// Where the elements of a thread are in arrays of any shape: what the building blocks for views (rows.cu,
// transposed.cu) have in common.
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

// Returns the places of the call's first element.
GRAFT_INLINE Place first_place(const graft_launch* launch, const graft_shape* shape) {
  Place place;
  place.index = shape->first_index;
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) place.inputs[k] = array_of(launch, k);
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) place.outputs[k] = array_of(launch, graft_input_count() + k);
  return place;
}

// Moves along dimension d and those outside it to the element whose number in the order of these dimensions is `rest`.
// The outermost dimension takes what is left, without a division.
GRAFT_INLINE void move_outside(Place& place, const graft_shape* shape, unsigned int d, unsigned long long rest) {
  const unsigned int last = shape->rank - 1;
  if (last < d) return;
#pragma unroll 1
  for (; d < last; ++d) {
    const unsigned long long next = divide(shape, d, rest);
    move(place, shape, d, static_cast<long long>(rest - next * shape->extents[d]));
    rest = next;
  }
  move(place, shape, last, static_cast<long long>(rest));
}

// Moves to the row of a thread: to its first element, whose place in the innermost dimension is 0. Returns the thread's
// place in that dimension.
GRAFT_INLINE unsigned long long move_to_row(Place& place, const graft_shape* shape, unsigned long long thread) {
  if (shape->rank == 1) return thread;
  const unsigned long long rest = divide(shape, 0, thread);
  move_outside(place, shape, 1, rest);
  return thread - rest * shape->extents[0];
}

}  // namespace
