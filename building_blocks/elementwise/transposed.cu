// The elementwise building block for inputs that lie crosswise: contiguous along another dimension of the call than the
// outputs, as a transposed matrix is. A thread block handles a tile, a square of the two dimensions.
//
//     columns of the input   ->   shared memory   ->   a unit of a row, and the callback   ->   rows of the outputs
//
// The block's threads read 16 bytes down a column at a time and write them into the rows of the tile in shared memory.
// Then each thread takes units of the rows, as rows.cu does. Which inputs lie crosswise is known when the kernel is
// made (graft_is_transposed); all others are read as in rows.cu, whatever their strides are.
//
// Small elements are transposed in registers first: elements of one or two bytes of neighbouring columns go to shared
// memory as one word.
//
// This file is compiled a second time, with GRAFT_SELECTIVE defined as true, for selective callbacks.
#ifndef GRAFT_UNITS  // generated text may have included units.h already
#include "units.h"
#endif

namespace {

// 16 bytes of a column.
struct Vector {
  unsigned int words[4];
};

// Loads the elements of a vector that are inside the array, which are the first `count`. The others are zero.
GRAFT_INLINE Vector load_vector(const unsigned char* from, int size, int alignment, int count) {
  Vector vector = {};
  if (count * size >= GRAFT_WORD_BYTES && is_aligned(from, GRAFT_WORD_BYTES)) {
    split(*reinterpret_cast<const uint4*>(from), vector.words);
    return vector;
  }
  const int part = alignment < 4 ? alignment : 4;
#pragma unroll
  for (int at = 0; at < GRAFT_WORD_BYTES; at += part) {
    if (at >= count * size) continue;
    const unsigned char* const address = from + at;
    const unsigned int bits = part == 4   ? *reinterpret_cast<const unsigned int*>(address)
                              : part == 2 ? *reinterpret_cast<const unsigned short*>(address)
                                          : *address;
    vector.words[at / 4] |= bits << at % 4 * 8;
  }
  return vector;
}

// Returns where an element is in the tile. Words of 16 bytes change places within their row, so that the threads of a
// warp use different banks when they write down a column, and also when they read along a row.
GRAFT_INLINE unsigned char* place_in_tile(unsigned char* tile, int x, int y, int size) {
  const int row_words = graft_tile_edge() * size / GRAFT_WORD_BYTES;
  const int turn = y * size / GRAFT_WORD_BYTES & ((row_words < 8 ? row_words : 8) - 1);
  const int at = x * size;
  return tile + y * row_words * GRAFT_WORD_BYTES + (at / GRAFT_WORD_BYTES ^ turn) * GRAFT_WORD_BYTES +
         at % GRAFT_WORD_BYTES;
}

// How many columns a thread reads, so that a part of their rows is a word.
GRAFT_INLINE int columns_at_once(int size) {
  return size < 4 ? 4 / size : 1;
}

// Stores vectors of columns_at_once(size) neighbouring columns, which begin at row y.
GRAFT_INLINE void store_columns(unsigned char* tile, int x, int y, int size, const Vector* columns) {
  const auto store = [&](int row, unsigned int word) {
    *reinterpret_cast<unsigned int*>(place_in_tile(tile, x, y + row, size)) = word;
  };
  if (size == 1) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const unsigned int a = columns[0].words[q], b = columns[1].words[q];
      const unsigned int c = columns[2].words[q], d = columns[3].words[q];
      const unsigned int low_ab = __byte_perm(a, b, 0x5140), low_cd = __byte_perm(c, d, 0x5140);
      const unsigned int high_ab = __byte_perm(a, b, 0x7362), high_cd = __byte_perm(c, d, 0x7362);
      store(4 * q, __byte_perm(low_ab, low_cd, 0x5410));
      store(4 * q + 1, __byte_perm(low_ab, low_cd, 0x7632));
      store(4 * q + 2, __byte_perm(high_ab, high_cd, 0x5410));
      store(4 * q + 3, __byte_perm(high_ab, high_cd, 0x7632));
    }
  } else if (size == 2) {
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      store(2 * q, __byte_perm(columns[0].words[q], columns[1].words[q], 0x5410));
      store(2 * q + 1, __byte_perm(columns[0].words[q], columns[1].words[q], 0x7632));
    }
  } else if (size == 4) {
#pragma unroll
    for (int row = 0; row < 4; ++row) store(row, columns[0].words[row]);
  } else if (size == 8) {
#pragma unroll
    for (int row = 0; row < 2; ++row) {
      uint2 word;
      join(word, columns[0].words + 2 * row);
      *reinterpret_cast<uint2*>(place_in_tile(tile, x, y + row, size)) = word;
    }
  } else {
    uint4 word;
    join(word, columns[0].words);
    *reinterpret_cast<uint4*>(place_in_tile(tile, x, y, size)) = word;
  }
}

// Brings an input's part of the tile, of `columns` by `rows` elements, into shared memory. The part begins at `from`.
GRAFT_INLINE void load_tile(unsigned char* tile, const unsigned char* from, long long column_stride, int size,
                            int alignment, int columns, int rows) {
  const int edge = graft_tile_edge(), at_once = columns_at_once(size), vector_rows = GRAFT_WORD_BYTES / size;
  const int down = edge / vector_rows;          // vectors of a column
  const int group = down < 8 ? down : 8;        // neighbouring threads that read down a column,
  const int across = down / group;              // and how many such groups a column has
  const int vectors = down * (edge / at_once);  // of all threads
  Vector loaded[GRAFT_TILE_VECTORS];
  const auto column_of = [&](int vector) { return (vector / (4 * group * across) * 4 + vector / group % 4) * at_once; };
  const auto row_of = [&](int vector) {
    return (vector / (4 * group) % across * group + vector % group) * vector_rows;
  };
  // All loads come first, so that they are under way together.
#pragma unroll
  for (int turn = 0; turn * at_once < GRAFT_TILE_VECTORS; ++turn) {
    if (turn * GRAFT_TILE_THREADS >= vectors) continue;
    const int vector = turn * GRAFT_TILE_THREADS + static_cast<int>(threadIdx.x);
    const int x = column_of(vector), y = row_of(vector);
    if (vector >= vectors || x >= columns || y >= rows) continue;
    const unsigned char* const first = from + x * column_stride + y * size;
#pragma unroll
    for (int column = 0; column < at_once; ++column)
      loaded[turn * at_once + column] =
          load_vector(first + column * column_stride, size, alignment, x + column < columns ? rows - y : 0);
  }
#pragma unroll
  for (int turn = 0; turn * at_once < GRAFT_TILE_VECTORS; ++turn) {
    if (turn * GRAFT_TILE_THREADS >= vectors) continue;
    const int vector = turn * GRAFT_TILE_THREADS + static_cast<int>(threadIdx.x);
    const int x = column_of(vector), y = row_of(vector);
    if (vector >= vectors || x >= columns || y >= rows) continue;
    store_columns(tile, x, y, size, loaded + turn * at_once);
  }
}

}  // namespace

GRAFT_ANSWER void graft_transform(const graft_launch* launch) {
  const graft_shape* const shape = shape_of(launch);
  const long long* const strides = reinterpret_cast<const long long*>(shape + 1);
  const int width = graft_vector_width(), edge = graft_tile_edge();
  const unsigned long long tile = blockIdx.x, row_of_tiles = divide(shape, 0, tile);
  const unsigned long long square = divide(shape, 1, row_of_tiles);
  const long long first_column = static_cast<long long>(tile - row_of_tiles * shape->extents[0]) * edge;
  const long long first_row = static_cast<long long>(row_of_tiles - square * shape->extents[1]) * edge;
  const long long columns_left = shape->inner - first_column, rows_left = shape->rows - first_row;
  const int columns = columns_left < edge ? static_cast<int>(columns_left) : edge;
  const int rows = rows_left < edge ? static_cast<int>(rows_left) : edge;
  Place place = first_place(launch, shape);
  move_outside(place, shape, 2, square);
  move(place, shape, 0, first_column);
  move(place, shape, 1, first_row);

  unsigned char* next_tile = graft_tiles();
#pragma unroll
  for (int k = 0; k < graft_input_count(); ++k) {
    if (!graft_is_transposed(k)) continue;
    const int size = graft_input_size(k);
    load_tile(next_tile, place.inputs[k], strides[k * GRAFT_MAX_RANK], size, graft_input_alignment(k), columns, rows);
    next_tile += edge * edge * size;
  }
  __syncthreads();

  const int units = edge / width, rows_at_once = GRAFT_TILE_THREADS / units;
  const int x = static_cast<int>(threadIdx.x) % units * width;
  if (x >= columns) return;
  const int first = static_cast<int>(threadIdx.x) / units;
  move(place, shape, 0, x);
  move(place, shape, 1, first);
  const Part part = {0, columns - x < width ? columns - x : width};
#pragma unroll 4
  for (int y = first; y < rows; y += rows_at_once) {
    graft_share inputs[GRAFT_MAX_INPUTS];
    next_tile = graft_tiles();
#pragma unroll
    for (int k = 0; k < graft_input_count(); ++k) {
      const int size = graft_input_size(k), alignment = graft_input_alignment(k);
      if (graft_is_transposed(k)) {
        load_unit(inputs[k], place_in_tile(next_tile, x, y, size), size, size, alignment, {0, width});
        next_tile += edge * edge * size;
      } else {
        load_unit(inputs[k], place.inputs[k], strides[k * GRAFT_MAX_RANK], size, alignment, part);
      }
    }
    apply_unit(place, inputs, part, shape, launch);
    move(place, shape, 1, rows_at_once);
  }
}
