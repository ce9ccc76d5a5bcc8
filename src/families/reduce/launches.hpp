// The launches of a call: how many thread blocks and threads a kernel has, which results each launch makes, and what
// the kernel's parameter says.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "contract.h"
#include "families/call.hpp"
#include "graft/signature.hpp"
#include "reduce/order.h"

namespace graft::families::reduce {

// A result of more groups has so much to do that a thread block is faster than a few threads.
inline constexpr std::uint64_t kMostGroupsOfShort = 512;

// How many accumulators of thread blocks there may be at a time, and how many results that several blocks make.
struct Workspace {
  std::uint64_t accumulators;
  std::uint64_t counters;
};

// How a kernel divides a call into pieces: results, or in kernels for columns tiles of results.
struct Division {
  std::uint64_t pieces = 0;
  std::uint64_t threads_each = 0;  // if several pieces share a thread block; else 0
  std::uint32_t pieces_of_thread = 1;
  std::uint32_t blocks_each = 1;               // thread blocks of a piece
  std::uint32_t threads = GRAFT_REDUCE_LANES;  // of a block
  std::uint64_t accumulators = 0;              // of a piece, in memory
  // As in graft_reduce_shape.
  std::uint32_t own = 0;  // `threads`
  std::uint32_t lanes = 0;
  std::uint64_t tiles = 1;
};

// The pieces that one launch makes.
struct Part {
  std::uint64_t first = 0, pieces = 0;
  Grid grid = {};
};

// The most pieces that a launch makes.
std::uint64_t most_of_launch(const Division& division, const Workspace& workspace) noexcept;
// The grid of a launch of so many pieces.
Grid grid_of(const Division& division, std::uint64_t pieces) noexcept;

// Calls launch(part) for each launch of the kernel.
template <class Launch>
void in_parts(const Division& division, const Workspace& workspace, Launch launch) {
  const std::uint64_t most = most_of_launch(division, workspace);
  for (std::uint64_t first = 0; first < division.pieces; first += most) {
    const std::uint64_t pieces = std::min(most, division.pieces - first);
    launch(Part{first, pieces, grid_of(division, pieces)});
  }
}

// Threads of a warp that make a result of so many groups, and the division of a kernel that has such ones.
Division in_threads(std::uint64_t results, std::uint64_t groups, unsigned width, std::size_t inputs) noexcept;

graft_reduce_divider divider_of_extent(std::uint64_t extent) noexcept;
std::uint32_t power_of_two(std::uint64_t least, std::uint32_t most) noexcept;
// Of a power of two.
std::uint32_t exponent_of(std::uint32_t number) noexcept;

// The bytes of the strides of an array in a parameter.
inline constexpr std::size_t kStridesOfArray = GRAFT_MAX_RANK * sizeof(std::int64_t);

// Writes the beginning of the parameter of a kernel for views. The strides of the arrays follow.
std::byte* put_head(const graft_reduce_call& call, const graft_reduce_shape& shape, std::byte* parameter) noexcept;

// The parameter of the host's kernel for arrays of one dimension.
std::uint32_t lay_out_dense(const Signature& signature, const graft_reduce_call& call, const Arguments& arguments,
                            std::byte* parameter) noexcept;

}  // namespace graft::families::reduce
