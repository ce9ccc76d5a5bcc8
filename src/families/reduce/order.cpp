#include "families/reduce/order.hpp"

#include <algorithm>

#include "contract.h"
#include "reduce/order.h"

namespace graft::families::reduce {
namespace {

constexpr std::uint64_t kGroupBytes = 16;
// So many groups are one chunk, because combining the accumulators of several chunks takes as long as 2,000 groups.
constexpr std::uint64_t kMostGroupsOfOneChunk = 2048;
// A chunk of this many groups has enough to do: more chunks are better than longer ones, as long as they are not too
// many.
constexpr std::uint64_t kGroupsOfChunk = 1024;

constexpr std::uint64_t divide_up(std::uint64_t value, std::uint64_t by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

constexpr std::uint64_t in_lanes(std::uint64_t groups) {
  return divide_up(groups, GRAFT_REDUCE_LANES) * GRAFT_REDUCE_LANES;
}

}  // namespace

unsigned group_width(const Signature& signature) {
  std::uint64_t widest = 1;
  for (const ElementType& type : signature.inputs()) widest = std::max<std::uint64_t>(widest, type.size);
  return static_cast<unsigned>(std::max<std::uint64_t>(1, kGroupBytes / widest));
}

Chunks cut(std::uint64_t count, unsigned width) {
  const std::uint64_t groups = divide_up(count, width);
  // Of two costs, one grows with the number of chunks, and the other with their length. So a chunk has twice as many
  // groups as the root of all groups.
  std::uint64_t of_chunk = GRAFT_REDUCE_LANES;
  while (of_chunk < kGroupsOfChunk && of_chunk * of_chunk < 4 * groups) of_chunk += GRAFT_REDUCE_LANES;
  of_chunk = std::max(of_chunk, in_lanes(divide_up(groups, GRAFT_REDUCE_MOST_CHUNKS)));
  if (groups <= kMostGroupsOfOneChunk) return {in_lanes(groups), 1};
  return {of_chunk, static_cast<std::uint32_t>(divide_up(groups, of_chunk))};
}

ReduceShard shard_of(std::uint64_t elements, unsigned width, std::uint64_t first_chunk, std::uint64_t chunks) {
  const Chunks all = cut(elements, width);
  const auto element = [&](std::uint64_t chunk) { return chunk >= all.count ? elements : chunk * all.groups * width; };
  const std::uint64_t begin = element(first_chunk);
  return {.elements = elements,
          .begin = begin,
          .count = element(first_chunk + chunks) - begin,
          .first_chunk = first_chunk,
          .chunks = chunks,
          .all_chunks = all.count};
}

}  // namespace graft::families::reduce
