// Counts, for each day, how many lookups found their kernel in the cache. `graft cache stats` shows the counts.
//
// Each lookup appends one byte to a file of the day in the version folder:
//
//     2026-11-23.hits         found in the user's own folder
//     2026-11-23.layer-hits   found in a read-only layer
//     2026-11-23.misses       not found, so that the kernel was built
//
// A file's size is the count, and its content has no meaning. So the counts need no lock (the system appends the bytes
// of several processes one after the other), a process that dies leaves no half-written record, and a damaged file can
// only show a wrong number. A file that has kMostUses bytes does not grow further, and the first lookup of a day
// removes the files that are older than kDaysOfUses, so the files of a cache have at most 22.5 MiB. They do not count
// towards the cache's size limit.
//
// To count a lookup takes 12 us (median of 5,000 on 2 cores with ext4); a create that finds its kernel on disk takes
// 350 us in a new process (README.md). A request that finds its kernel in memory is no lookup and is not counted. No
// count is written if the cache is read-only or has no folder, and no failure to write a count is reported.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "store/store.hpp"

namespace graft::store {

enum class Use : std::uint8_t { Hit, LayerHit, Miss };

inline constexpr std::uint64_t kMostUses = std::uint64_t{1} << 18;
inline constexpr int kDaysOfUses = 30;

// Counts one lookup. Thread-safe.
void count_use(const Store& store, Use use);

struct DayOfUses {
  std::string day;  // "2026-11-23", in UTC
  std::uint64_t hits = 0;
  std::uint64_t layer_hits = 0;
  std::uint64_t misses = 0;
};

// Returns the days that have counts, the oldest first, at most kDaysOfUses of them. Each count is at most kMostUses.
// Ignores files that belong to another user or can be written by others.
std::vector<DayOfUses> read_uses(const Store& store);

// Removes all counts from the user's own folder.
void remove_uses(const Store& store);

}  // namespace graft::store
