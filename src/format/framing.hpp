// What the files that graft writes have in common: a checksum at their end, and, in packs, parts that begin at
// multiples of 16 bytes with zeros before them. The checksum is the XXH3-128 of all preceding bytes: low half, high
// half.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/hash.hpp"
#include "base/little_endian.hpp"

namespace graft::format {

inline constexpr std::size_t kChecksumBytes = 16;

inline void append_checksum(base::LittleEndianWriter& file) {
  const base::Hash128 checksum = base::hash(base::as_text(file.written()));
  file.u64(checksum.low);
  file.u64(checksum.high);
}

// Returns whether the file ends with its checksum. It must have kChecksumBytes bytes at least.
inline bool has_checksum(std::span<const std::byte> file) {
  const std::size_t covered = file.size() - kChecksumBytes;
  base::LittleEndianReader checksum(file.subspan(covered));
  const std::uint64_t low = checksum.u64();
  return base::hash(base::as_text(file.first(covered))) == base::Hash128{low, checksum.u64()};
}

// Returns where the next part begins if a file has `size` bytes before it.
constexpr std::size_t aligned(std::size_t size) {
  constexpr std::size_t kPartAlignment = 16;
  return (size + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
}

inline bool is_zero(std::span<const std::byte> padding) {
  return std::ranges::all_of(padding, [](std::byte b) { return b == std::byte{0}; });
}

}  // namespace graft::format
