// The FFTs of the example, with their callbacks. An array of `rows` x `columns` samples of 16 bits becomes its 2-D
// Hartley transform, the real part of the FFT less the imaginary part. The array is divided into P slabs, one for each
// GPU:
//
//     rows      Slab g has rows / P rows, and transforms them. The load callback makes points of the samples, in a
//               window. The store callback writes each point into the block for the slab that transforms its column.
//     exchange  Each slab sends each other slab a block of rows / P rows and columns / P columns.
//     columns   Slab g then has all rows of columns / P columns, and transforms these columns. The store callback makes
//               the results.
//
// Blocks are row-major. The P blocks that a slab gets, one below the other, are therefore the rows of its columns, and
// the FFTs of columns read them with a stride: no kernel transposes, packs or unpacks. For P = 2, with a block of 2 x 4
// points for each letter:
//
//                rows          sent       columns
//     slab 0     aaaabbbb      bbbb       aaaa
//                aaaabbbb      bbbb       aaaa
//                                         cccc
//                                         cccc
//     slab 1     ccccdddd      cccc       bbbb
//                ccccdddd      cccc       bbbb
//                                         dddd
//                                         dddd
//
// The store callback writes the blocks `a` and `d`, which stay, into the columns at once.
#pragma once

#include <cstddef>
#include <graft/fft.hpp>
#include <graft/graft.hpp>

namespace fft_two_gpus {

struct Shape {
  std::size_t rows, columns, slabs;  // slabs: P, which divides both extents, and is at least 2

  std::size_t points() const { return rows * columns; }
  std::size_t slab_rows() const { return rows / slabs; }
  std::size_t slab_columns() const { return columns / slabs; }
  std::size_t slab_points() const { return rows * columns / slabs; }
  std::size_t block_points() const { return slab_rows() * slab_columns(); }
};

// The state of the load callback (graft::callbacks::Window).
struct Window {
  unsigned length, periodic;
};

// The FFTs of a slab's rows and of its columns. FftLaunch::info.store of the first one points to P pointers, in the
// memory of the arrays: where the store callback writes the first row of the call for slab 0, slab 1 and so on.
graft::Fft rows_of_slab(const Shape& shape, const graft::Options& options);
graft::Fft columns_of_slab(const Shape& shape, const graft::Options& options);

// The 2-D FFT of the whole array, with the same load callback and the store callback of the columns.
graft::Fft whole_array(const Shape& shape, const graft::Options& options);

// Makes the samples of the elements from `first` on; the state is `first`, an unsigned long long.
graft::Transform noise(const graft::Options& options);

}  // namespace fft_two_gpus
