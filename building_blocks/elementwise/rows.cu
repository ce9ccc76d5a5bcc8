// The elementwise building block for arrays whose rows lie in memory element by element: the innermost dimension of the
// call is contiguous in its outputs. A thread handles one unit, a vector of adjacent elements of a row. It moves the
// unit in wide words where an array is contiguous and aligned, repeats one element where an input does, and moves
// element by element otherwise. So it serves every pitch and alignment, and inputs of every stride.
//
//     a row of the first output    | head | unit | unit | ... | rest |
//
// Units begin where the first output is aligned. The head and the rest are units of which a part is outside the row.
//
// This file is compiled a second time, with GRAFT_SELECTIVE defined as true, for selective callbacks.
#ifndef GRAFT_PLACES  // generated text may have included places.h already
#include "places.h"
#endif

namespace {

// Copies element j of a share to place i of another, in the parts that the adapter reads (Cell in adapter.h).
template <class Part>
GRAFT_INLINE void copy_parts(graft_share& to, int i, const graft_share& from, int j, int size) {
  const int parts = size / static_cast<int>(sizeof(Part));
#pragma unroll
  for (int at = 0; at < parts; ++at)
    reinterpret_cast<Part*>(to.words)[i * parts + at] = reinterpret_cast<const Part*>(from.words)[j * parts + at];
}
GRAFT_INLINE void copy_element(graft_share& to, int i, const graft_share& from, int j, int size, int alignment) {
  if (alignment % 4 == 0) copy_parts<unsigned int>(to, i, from, j, size);
  else if (alignment % 2 == 0) copy_parts<unsigned short>(to, i, from, j, size);
  else copy_parts<unsigned char>(to, i, from, j, size);
}

GRAFT_INLINE bool is_aligned(const void* address, int bytes) {
  return (reinterpret_cast<unsigned long long>(address) & (bytes - 1)) == 0;
}

// The part of a unit that is inside its row: elements begin to end - 1 of graft_vector_width().
struct Part {
  int begin, end;
};

GRAFT_INLINE void load_unit(graft_share& share, const unsigned char* from, long long stride, int size, int alignment,
                            Part part) {
  const int width = graft_vector_width(), bytes = width * size;
  const bool is_whole = part.begin == 0 && part.end == width;
  if (is_whole && stride == size && bytes <= GRAFT_WORD_BYTES && is_aligned(from, bytes)) {
    if (bytes == GRAFT_WORD_BYTES) load_words<uint4, unsigned int>(share, from, bytes);
    else load_element(share, from, bytes, bytes);
  } else if (stride == 0) {
    graft_share one;
    load_element(one, from, size, size | alignment);
#pragma unroll
    for (int i = 0; i < width; ++i) copy_element(share, i, one, 0, size, alignment);
  } else {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      if (i < part.begin || i >= part.end) continue;
      graft_share one;
      load_element(one, from + i * stride, size, size | alignment);
      copy_element(share, i, one, 0, size, alignment);
    }
  }
}

}  // namespace

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  const unsigned long long thread = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (thread >= launch->count) return;
  const graft_shape* const shape = shape_of(launch);
  const int width = graft_vector_width();
  Place place;
  const unsigned long long unit = find_row(place, launch, shape, thread);
  const unsigned long long elements_before =
      reinterpret_cast<unsigned long long>(place.outputs[0]) / graft_output_size(0);
  const long long first = static_cast<long long>(unit * width) - static_cast<int>(elements_before & (width - 1));
  const long long left = shape->inner - first;
  const Part part = {first < 0 ? static_cast<int>(-first) : 0, left < width ? static_cast<int>(left) : width};
  if (part.begin >= part.end) return;
  move(place, shape, 0, first);

  graft_share inputs[GRAFT_MAX_INPUTS];
  graft_share outputs[GRAFT_MAX_OUTPUTS];
  const long long* const strides = reinterpret_cast<const long long*>(shape + 1);
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k)
    load_unit(inputs[k], place.inputs[k], strides[k * GRAFT_MAX_RANK], graft_input_size(k), graft_input_alignment(k),
              part);
  unsigned int stored = 0;
#pragma unroll
  for (int i = 0; i < width; ++i) {
    if (i < part.begin || i >= part.end) continue;
    const unsigned long long index = static_cast<unsigned long long>(place.index + i * shape->index_strides[0]);
    stored |= graft_apply(inputs, outputs, i, index, launch) << i;
  }
  const bool is_whole = part.begin == 0 && part.end == width && (!GRAFT_SELECTIVE || stored == (1u << width) - 1);
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k) {
    const int size = graft_output_size(k), alignment = graft_output_alignment(k), bytes = width * size;
    unsigned char* const to = place.outputs[k];
    if (is_whole && bytes <= GRAFT_WORD_BYTES && is_aligned(to, bytes)) {
      if (bytes == GRAFT_WORD_BYTES) store_words<uint4, unsigned int>(to, outputs[k], bytes);
      else store_element(to, outputs[k], bytes, bytes);
    } else {
#pragma unroll
      for (int i = 0; i < width; ++i) {
        if (i < part.begin || i >= part.end || (GRAFT_SELECTIVE && (stored >> i & 1) == 0)) continue;
        graft_share one;
        copy_element(one, 0, outputs[k], i, size, alignment);
        store_element(to + i * size, one, size, size | alignment);
      }
    }
  }
}
