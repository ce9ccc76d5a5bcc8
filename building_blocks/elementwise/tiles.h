// Tiles in shared memory for inputs that lie crosswise: contiguous along another dimension of the call than the
// outputs, as a transposed matrix is. The thread blocks of transposed.cu and of the exact programs bring a square of
// the two dimensions into shared memory, 16 bytes down a column at a time.
//
// Small elements are transposed in registers first: elements of one or two bytes of neighbouring columns go to shared
// memory as one word.
#define GRAFT_TILES
#ifndef GRAFT_CONTRACT  // generated text may have included contract.h already
#include "contract.h"
#endif

namespace {

// Returns where an element is in the tile. Words of 16 bytes change places within their row, so that the threads of a
// warp use different banks when they write down a column, and also when they read along a row.
GRAFT_INLINE unsigned char* place_in_tile(unsigned char* tile, int x, int y, int size, int edge) {
  const int row_words = edge * size / GRAFT_WORD_BYTES;
  const int turn = y * size / GRAFT_WORD_BYTES & ((row_words < 8 ? row_words : 8) - 1);
  const int at = x * size;
  return tile + y * row_words * GRAFT_WORD_BYTES + (at / GRAFT_WORD_BYTES ^ turn) * GRAFT_WORD_BYTES +
         at % GRAFT_WORD_BYTES;
}

// Stores vectors of neighbouring columns as words of their rows, of which the first is at `to`. All of these rows have
// the same turn (place_in_tile). The number of columns is 4 / size for small elements, and else 1.
GRAFT_INLINE void store_columns(unsigned char* to, int row_bytes, int size, const uint4* columns) {
  const auto store = [&](int row, unsigned int word) { *reinterpret_cast<unsigned int*>(to + row * row_bytes) = word; };
  const auto store_bytes = [&](int row, unsigned int a, unsigned int b, unsigned int c, unsigned int d) {
    const unsigned int low_ab = __byte_perm(a, b, 0x5140), low_cd = __byte_perm(c, d, 0x5140);
    const unsigned int high_ab = __byte_perm(a, b, 0x7362), high_cd = __byte_perm(c, d, 0x7362);
    store(row, __byte_perm(low_ab, low_cd, 0x5410));
    store(row + 1, __byte_perm(low_ab, low_cd, 0x7632));
    store(row + 2, __byte_perm(high_ab, high_cd, 0x5410));
    store(row + 3, __byte_perm(high_ab, high_cd, 0x7632));
  };
  const auto store_pair = [&](int row, unsigned int a, unsigned int b) {
    store(row, __byte_perm(a, b, 0x5410));
    store(row + 1, __byte_perm(a, b, 0x7632));
  };
  const uint4& a = columns[0];
  if (size == 1) {
    const uint4 &b = columns[1], &c = columns[2], &d = columns[3];
    store_bytes(0, a.x, b.x, c.x, d.x);
    store_bytes(4, a.y, b.y, c.y, d.y);
    store_bytes(8, a.z, b.z, c.z, d.z);
    store_bytes(12, a.w, b.w, c.w, d.w);
  } else if (size == 2) {
    const uint4& b = columns[1];
    store_pair(0, a.x, b.x);
    store_pair(2, a.y, b.y);
    store_pair(4, a.z, b.z);
    store_pair(6, a.w, b.w);
  } else if (size == 4) {
    store(0, a.x);
    store(1, a.y);
    store(2, a.z);
    store(3, a.w);
  } else if (size == 8) {
    *reinterpret_cast<uint2*>(to) = {a.x, a.y};
    *reinterpret_cast<uint2*>(to + row_bytes) = {a.z, a.w};
  } else {
    *reinterpret_cast<uint4*>(to) = a;
  }
}

template <class Part>
GRAFT_INLINE void copy_bytes(unsigned char* to, const unsigned char* from, int bytes) {
#pragma unroll
  for (int i = 0; i < bytes / static_cast<int>(sizeof(Part)); ++i)
    reinterpret_cast<Part*>(to)[i] = reinterpret_cast<const Part*>(from)[i];
}

// Copies single elements from row `first` on. Neighbouring threads have neighbours of a column.
GRAFT_INLINE void load_elements(unsigned char* tile, const unsigned char* from, long long column_stride, int size,
                                int alignment, int edge, int columns, int first, int rows) {
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < columns * edge; i += GRAFT_TILE_THREADS) {
    const int x = i / edge, y = i % edge;
    if (y < first || y >= rows) continue;
    unsigned char* const to = place_in_tile(tile, x, y, size, edge);
    const unsigned char* const element = from + x * column_stride + y * size;
    if (alignment % 4 == 0) copy_bytes<unsigned int>(to, element, size);
    else if (alignment % 2 == 0) copy_bytes<unsigned short>(to, element, size);
    else copy_bytes<unsigned char>(to, element, size);
  }
}

// Brings an input's part of the tile, of `columns` by `rows` elements, into shared memory. The part begins at `from`.
GRAFT_INLINE void load_tile(unsigned char* tile, const unsigned char* from, long long column_stride, int size,
                            int alignment, int edge, int columns, int rows) {
  const int at_once = size < 4 ? 4 / size : 1;  // columns of which a thread stores words together
  const int vector_rows = GRAFT_WORD_BYTES / size;
  int done = 0;
  if (((reinterpret_cast<unsigned long long>(from) | static_cast<unsigned long long>(column_stride)) &
       (GRAFT_WORD_BYTES - 1)) == 0) {
    const int down = edge / vector_rows;    // vectors of a column
    const int group = down < 8 ? down : 8;  // neighbouring threads that read down a column,
    const int across = down / group;        // and how many such groups a column has
    const int thread = static_cast<int>(threadIdx.x);
    const int x = (thread / (4 * group * across) * 4 + thread / group % 4) * at_once;
    const int y = (thread / (4 * group) % across * group + thread % group) * vector_rows;
    const int next = GRAFT_TILE_THREADS / (group * across) * at_once;  // from one turn's columns to the next
    const int of_thread = edge * edge * size / (GRAFT_TILE_THREADS * GRAFT_WORD_BYTES);
    const int vectors = of_thread < at_once ? at_once : of_thread;
    const bool is_inside = y + vector_rows <= rows;
    const unsigned char* const first = from + x * column_stride + y * size;
    uint4 loaded[GRAFT_TILE_VECTORS];
    // All loads come first, so that they are under way together.
#pragma unroll
    for (int i = 0; i < GRAFT_TILE_VECTORS; ++i) {
      const int column = i / at_once * next + i % at_once;
      if (i < vectors && is_inside && x + column < columns)
        loaded[i] = *reinterpret_cast<const uint4*>(first + column * column_stride);
    }
#pragma unroll
    for (int i = 0; i < GRAFT_TILE_VECTORS; i += at_once) {
      const int column = x + i / at_once * next;
      if (i < vectors && is_inside && column < columns)
        store_columns(place_in_tile(tile, column, y, size, edge), edge * size, size, loaded + i);
    }
    done = rows - rows % vector_rows;
  }
  if (done < rows) load_elements(tile, from, column_stride, size, alignment, edge, columns, done, rows);
}

}  // namespace
