// Where the elements of a thread are in arrays of any shape: what the building blocks for views (strided.cu,
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

// For programmatic dependent launch, as graft_start_programmatic_launch in transform.cu.
GRAFT_INLINE void wait_for_earlier_kernels() {
#ifdef __CUDACC__
  asm volatile("griddepcontrol.launch_dependents; griddepcontrol.wait;" ::: "memory");
#endif
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

// Finds the coordinates of the thread or tile `number`, and moves along the dimensions from `first` on. Returns the
// coordinates of the dimensions in front of it, of which there are at most two. The outermost dimension takes what is
// left, without a division.
struct Coordinates {
  long long of[2];
};
GRAFT_INLINE Coordinates move_outside(Place& place, const graft_shape* shape, unsigned int first, unsigned int number) {
  Coordinates coordinates = {};
#pragma unroll 1
  for (unsigned int d = 0;; ++d) {
    const bool is_last = d + 1 == shape->rank;
    const unsigned int next = is_last ? 0 : (__umulhi(number, shape->multipliers[d]) + number) >> shape->shifts[d];
    const long long coordinate = number - next * shape->extents[d];
    number = next;
    if (d >= first) move(place, shape, d, coordinate);
    else if (d == 0) coordinates.of[0] = coordinate;
    else coordinates.of[1] = coordinate;
    if (is_last) return coordinates;
  }
}

}  // namespace
