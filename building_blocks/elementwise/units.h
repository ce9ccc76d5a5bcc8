// A unit is a vector of adjacent elements of a row of the outputs, which one thread handles: graft_vector_width()
// elements. What strided.cu and transposed.cu do with units, and with single elements, is here.
#define GRAFT_UNITS
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

GRAFT_INLINE void load_unit(graft_share& share, const unsigned char* from, long long stride, int size, int alignment) {
  const int width = graft_vector_width(), bytes = width * size;
  if (stride == size && bytes <= GRAFT_WORD_BYTES && is_aligned(from, bytes)) {
    if (bytes == GRAFT_WORD_BYTES) load_words<uint4, unsigned int>(share, from, bytes);
    else load_element(share, from, bytes, bytes);
  } else {
#pragma unroll
    for (int i = 0; i < width; ++i) {
      graft_share one;
      load_element(one, from + i * stride, size, size | alignment);
      copy_element(share, i, one, 0, size, alignment);
    }
  }
}

// Calls the callback for a unit, and stores its results. `place` is that of the unit's first element.
GRAFT_INLINE void apply_unit(const Place& place, const graft_share* inputs, const graft_shape* shape,
                             const graft_launch* launch) {
  const int width = graft_vector_width();
  graft_share outputs[GRAFT_MAX_OUTPUTS];
  unsigned int stored = 0;
#pragma unroll
  for (int i = 0; i < width; ++i) {
    const unsigned long long index = static_cast<unsigned long long>(place.index + i * shape->index_strides[0]);
    stored |= graft_apply(inputs, outputs, i, index, launch) << i;
  }
  const bool is_whole = !GRAFT_SELECTIVE || stored == (1u << width) - 1;
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
        if (GRAFT_SELECTIVE && (stored >> i & 1) == 0) continue;
        graft_share one;
        copy_element(one, 0, outputs[k], i, size, alignment);
        store_element(to + i * size, one, size, size | alignment);
      }
    }
  }
}

// Calls the callback for one element, and stores its results.
GRAFT_INLINE void apply_one(const Place& place, const graft_launch* launch) {
  graft_share inputs[GRAFT_MAX_INPUTS], outputs[GRAFT_MAX_OUTPUTS];
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k)
    load_element(inputs[k], place.inputs[k], graft_input_size(k), graft_input_size(k) | graft_input_alignment(k));
  const unsigned int stored = graft_apply(inputs, outputs, 0, static_cast<unsigned long long>(place.index), launch);
  if (GRAFT_SELECTIVE && stored == 0) return;
#pragma unroll
  for (int k = 0; k < graft_output_count(); ++k)
    store_element(place.outputs[k], outputs[k], graft_output_size(k), graft_output_size(k) | graft_output_alignment(k));
}

}  // namespace
