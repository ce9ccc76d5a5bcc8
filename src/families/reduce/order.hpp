// How a reduction's elements are cut into chunks. Results are the same wherever this is the same, so nothing here may
// depend on a device, on alignment or on time. docs/reduce.md describes it, and a test computes it from that page.
#pragma once

#include <cstdint>

#include "graft/reduce.hpp"
#include "graft/signature.hpp"

namespace graft::families::reduce {

// Returns how many elements a group has: as many as fit into 16 bytes of the widest input, and at least one.
unsigned group_width(const Signature& signature);

struct Chunks {
  std::uint64_t groups = 0;  // of each chunk; the last may have fewer
  std::uint32_t count = 0;
};

// Cuts `count` elements. No elements are one chunk.
Chunks cut(std::uint64_t count, unsigned width);

// Returns the part of `elements` elements that has these chunks, of which none lies behind the last.
ReduceShard shard_of(std::uint64_t elements, unsigned width, std::uint64_t first_chunk, std::uint64_t chunks);

}  // namespace graft::families::reduce
