// The elementwise building block for arrays of any shape: one element for each thread, whose places in the arrays
// follow from the call's dimensions (graft_shape in contract.h). It serves every call and every signature but those
// with bit arrays, whatever the extents, strides and alignments are.
//
// The threads count the elements in the order of the dimensions, so neighbouring threads have neighbours in memory
// where the innermost dimension of an array has none between them.
//
// This file is compiled a second time, with GRAFT_SELECTIVE defined as true, for selective callbacks.
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
GRAFT_INLINE void move(Place& place, const graft_shape* shape, unsigned int d, unsigned long long elements) {
  const long long* const strides = reinterpret_cast<const long long*>(shape + 1) + d;
  const long long steps = static_cast<long long>(elements);
  place.index += steps * shape->index_strides[d];
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) place.inputs[k] += steps * strides[k * GRAFT_MAX_RANK];
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k)
    place.outputs[k] += steps * strides[(graft_input_count() + k) * GRAFT_MAX_RANK];
}

}  // namespace

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  unsigned long long rest = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (rest >= launch->count) return;
  const graft_shape* const shape =
      reinterpret_cast<const graft_shape*>(reinterpret_cast<const unsigned char*>(launch) + graft_shape_place());
  Place place;
  place.index = shape->first_index;
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) place.inputs[k] = array_of(launch, k);
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) place.outputs[k] = array_of(launch, graft_input_count() + k);
  // The outermost dimension takes what is left, without a division.
  const unsigned int last = shape->rank - 1;
  if (shape->is_long) {
#pragma unroll 1
    for (unsigned int d = 0; d < last; ++d) {
      const unsigned long long next = rest / shape->extents[d];
      move(place, shape, d, rest - next * shape->extents[d]);
      rest = next;
    }
  } else {
#pragma unroll 1
    for (unsigned int d = 0; d < last; ++d) {
      const unsigned int now = static_cast<unsigned int>(rest);
      const unsigned int next = (__umulhi(now, shape->multipliers[d]) + now) >> shape->shifts[d];
      move(place, shape, d, now - next * static_cast<unsigned int>(shape->extents[d]));
      rest = next;
    }
  }
  move(place, shape, last, rest);

  graft_share inputs[GRAFT_MAX_INPUTS];
  graft_share outputs[GRAFT_MAX_OUTPUTS];
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) {
    const int size = graft_input_size(k);
    load_element(inputs[k], place.inputs[k], size, size | graft_input_alignment(k));
  }
  const unsigned int is_stored = graft_apply(inputs, outputs, 0, static_cast<unsigned long long>(place.index), launch);
  if (GRAFT_SELECTIVE && is_stored == 0) return;
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) {
    const int size = graft_output_size(k);
    store_element(place.outputs[k], outputs[k], size, size | graft_output_alignment(k));
  }
}
