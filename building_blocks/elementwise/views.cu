// The elementwise building block for arrays of any shape: one element for each thread, whose places in the arrays
// follow from the call's dimensions (graft_shape in contract.h). It serves every call and every signature but those
// with bit arrays, whatever the extents, strides and alignments are.
//
// The threads count the elements in the order of the dimensions, so neighbouring threads have neighbours in memory
// where the innermost dimension of an array has none between them.
//
// This file is compiled a second time, with GRAFT_SELECTIVE defined as true, for selective callbacks.
#ifndef GRAFT_PLACES  // generated text may have included places.h already
#include "places.h"
#endif

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (thread >= launch->count) return;
  const graft_shape* const shape = shape_of(launch);
  Place place = first_place(launch, shape);
  const unsigned long long inner = move_to_row(place, shape, thread);
  move(place, shape, 0, static_cast<long long>(inner));

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
