// The elementwise building block for inputs that lie crosswise. A thread block handles a tile, a square of the call's
// first two dimensions.
//
//     columns of the input   ->   shared memory   ->   a unit of a row, and the callback   ->   rows of the outputs
//
// The block's threads bring columns into shared memory (tiles.h). Then each thread takes units of the rows, as
// strided.cu does. Which inputs lie crosswise is known when the kernel is made (graft_is_transposed); all others are
// read as in strided.cu, whatever their strides are.
//
// This file is compiled a second time, with GRAFT_SELECTIVE defined as true, for selective callbacks.
#ifndef GRAFT_UNITS  // generated text may have included units.h already
#include "units.h"
#endif
#ifndef GRAFT_TILES  // generated text may have included tiles.h already
#include "tiles.h"
#endif

namespace {

// Where the elements of a thread's row are: those of inputs that lie crosswise are in the tiles.
GRAFT_INLINE Place in_tiles(const Place& place, int x, int y) {
  Place with_tiles = place;
  unsigned char* tile = graft_tiles();
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) {
    if (!graft_is_transposed(k)) continue;
    with_tiles.inputs[k] = place_in_tile(tile, x, y, graft_input_size(k), graft_tile_edge());
    tile += graft_tile_edge() * graft_tile_edge() * graft_input_size(k);
  }
  return with_tiles;
}

}  // namespace

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  const graft_shape* const shape = shape_of(launch);
  const long long* const strides = reinterpret_cast<const long long*>(shape + 1);
  const int width = graft_vector_width(), edge = graft_tile_edge();
  if (graft_programmatic_launch()) wait_for_earlier_kernels();
  Place place = first_place(launch, shape);
  const Coordinates tile = move_outside(place, shape, 2, blockIdx.x);
  const long long first_column = tile.of[0] * edge, first_row = tile.of[1] * edge;
  const long long columns_left = static_cast<long long>(shape->inner) - first_column;
  const long long rows_left = static_cast<long long>(shape->second) - first_row;
  const int columns = columns_left < edge ? static_cast<int>(columns_left) : edge;
  const int rows = rows_left < edge ? static_cast<int>(rows_left) : edge;
  move(place, shape, 0, first_column);
  move(place, shape, 1, first_row);

  unsigned char* next_tile = graft_tiles();
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) {
    if (!graft_is_transposed(k)) continue;
    const int size = graft_input_size(k);
    load_tile(next_tile, place.inputs[k], strides[k * GRAFT_MAX_RANK], size, graft_input_alignment(k), edge, columns,
              rows);
    next_tile += edge * edge * size;
  }
  __syncthreads();

  const int units = edge / width, rows_at_once = GRAFT_TILE_THREADS / units;
  const int x = static_cast<int>(threadIdx.x) % units * width, first = static_cast<int>(threadIdx.x) / units;
  if (x >= columns) return;
  move(place, shape, 0, x);
  move(place, shape, 1, first);
#pragma unroll 1
  for (int y = first; y < rows; y += rows_at_once) {
    if (x + width <= columns) {
      graft_share inputs[GRAFT_MAX_INPUTS];
      const Place unit = in_tiles(place, x, y);
#pragma unroll
      for (int k = 0; k < graft_input_count(); ++k)
        load_unit(inputs[k], unit.inputs[k], graft_is_transposed(k) ? graft_input_size(k) : strides[k * GRAFT_MAX_RANK],
                  graft_input_size(k), graft_input_alignment(k));
      apply_unit(unit, inputs, shape, launch);
    } else {
      Place element = place;
#pragma unroll 1
      for (int i = x; i < columns; ++i) {
        apply_one(in_tiles(element, i, y), launch);
        move(element, shape, 0, 1);
      }
    }
    move(place, shape, 1, rows_at_once);
  }
}
