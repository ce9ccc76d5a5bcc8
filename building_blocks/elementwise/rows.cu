// The elementwise building block for arrays of any shape. A thread handles one unit, a vector of adjacent elements of
// the innermost dimension, in which the outputs are contiguous. It moves the unit in wide words where an array is
// contiguous and aligned, repeats one element where an input does, and moves element by element otherwise. So it serves
// every pitch and alignment, and inputs of every stride.
//
//     a row of the first output    | head | unit | unit | ... | rest |
//
// Units begin where the first output is aligned. The head and the rest are units of which a part is outside the row.
//
// With units of one element, the building block serves every call, whatever the strides of the outputs are. The threads
// count the elements in the order of the dimensions, so neighbouring threads have neighbours in memory where the
// innermost dimension of an array has none between them.
//
// This file is compiled a second time, with GRAFT_SELECTIVE defined as true, for selective callbacks.
#ifndef GRAFT_UNITS  // generated text may have included units.h already
#include "units.h"
#endif

namespace {

// How many elements of its first unit are in front of a row of the first output.
GRAFT_INLINE int elements_before(const Place& row) {
  if (graft_vector_width() == 1) return 0;  // the first output may be one that the callback reaches itself
  const unsigned long long elements = reinterpret_cast<unsigned long long>(row.outputs[0]) / graft_output_size(0);
  return static_cast<int>(elements & (graft_vector_width() - 1));
}

}  // namespace

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (thread >= launch->count) return;
  const graft_shape* const shape = shape_of(launch);
  const int width = graft_vector_width();
  Place place = first_place(launch, shape);
  const unsigned long long unit = move_to_row(place, shape, thread);
  const long long first = static_cast<long long>(unit * width) - elements_before(place);
  const long long left = shape->inner - first;
  const Part part = {first < 0 ? static_cast<int>(-first) : 0, left < width ? static_cast<int>(left) : width};
  if (part.begin >= part.end) return;
  move(place, shape, 0, first);

  graft_share inputs[GRAFT_MAX_INPUTS];
  const long long* const strides = reinterpret_cast<const long long*>(shape + 1);
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k)
    load_unit(inputs[k], place.inputs[k], strides[k * GRAFT_MAX_RANK], graft_input_size(k), graft_input_alignment(k),
              part);
  apply_unit(place, inputs, part, shape, launch);
}
