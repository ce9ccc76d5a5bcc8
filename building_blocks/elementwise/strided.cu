// The elementwise building block for arrays of any shape. A thread handles units, which are vectors of adjacent
// elements of the innermost dimension, or one element.
//
//     a row of the first output    | head | unit | unit | ... | rest |
//
// Units begin where the first output is aligned. They move in wide words where an array is contiguous and aligned, and
// element by element otherwise. If there are many, a thread handles several, which lie apart, so that neighbouring
// threads always have neighbours. The elements of the head and the rest have a thread each, behind those of the units.
// If an output is not contiguous along the innermost dimension, or its rows are short, the host counts no units, and
// threads have single elements: of a large call several in the second dimension, which lie apart as units do. So the
// building block serves every call.
//
// The threads count in the order of the dimensions, so neighbouring threads have neighbours in memory.
//
// This file is compiled a second time, with GRAFT_SELECTIVE defined as true, for selective callbacks.
#ifndef GRAFT_UNITS  // generated text may have included units.h already
#include "units.h"
#endif

namespace {

// How many elements of a row of the first output are in front of its first unit.
GRAFT_INLINE unsigned int head_of(const Place& row) {
  const unsigned long long place = reinterpret_cast<unsigned long long>(row.outputs[0]) / graft_output_size(0);
  return static_cast<unsigned int>(-place & (graft_vector_width() - 1));
}

}  // namespace

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;  // the call has less than 2^31 of them
  if (thread >= launch->count) return;
  const graft_shape* const shape = shape_of(launch);
  const int width = graft_vector_width();
  if (graft_programmatic_launch()) wait_for_earlier_kernels();
  Place place = first_place(launch, shape);
  const Coordinates coordinates = move_outside(place, shape, 2, thread);
  long long x = coordinates.of[0];
  move(place, shape, 1, coordinates.of[1]);
  if (width > 1 && shape->threads_with_units != 0) {
    const unsigned int head = head_of(place);
    const unsigned int units = static_cast<unsigned int>((shape->inner - head) / width);
    if (x < shape->threads_with_units) {
      move(place, shape, 0, x * width + head);
#pragma unroll 1
      for (unsigned int unit = static_cast<unsigned int>(x); unit < units; unit += shape->threads_with_units) {
        graft_share inputs[GRAFT_MAX_INPUTS];
        const long long* const strides = reinterpret_cast<const long long*>(shape + 1);
#pragma unroll
        for (int k = 0; k < graft_input_count(); ++k)
          load_unit(inputs[k], place.inputs[k], strides[k * GRAFT_MAX_RANK], graft_input_size(k),
                    graft_input_alignment(k));
        apply_unit(place, inputs, shape, launch);
        move(place, shape, 0, static_cast<long long>(shape->threads_with_units) * width);
      }
      return;
    }
    x -= shape->threads_with_units;
    if (x >= head) x += static_cast<long long>(units) * width;
    if (static_cast<unsigned long long>(x) >= shape->inner) return;
  }
  move(place, shape, 0, x);
#pragma unroll 1
  for (unsigned long long row = static_cast<unsigned long long>(coordinates.of[1]);;) {
    apply_one(place, launch);
    row += shape->extents[1];
    if (row >= shape->second) return;  // 0: the thread has one element
    move(place, shape, 1, shape->extents[1]);
  }
}
