// Entries of a cache in one file, for another machine.
//
//     export   = magic version count { size entry } checksum
//     magic    = "GRAFTEXP"                             8 bytes
//     version  = 2                                      4 bytes, as all numbers: little-endian
//     count    = how many entries follow                4 bytes
//     size     = of one entry                           8 bytes
//     entry    = a whole file of the cache              (cache_entry.hpp), of the same version
//     checksum = XXH3, 128 bits, of all in front of it  16 bytes, the low half first
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "format/cache_entry.hpp"

namespace graft::format {

inline constexpr std::uint32_t kCacheExportVersion = 2;

base::Bytes write_cache_export(const std::vector<base::Bytes>& entries);

// The entries' files as they were put in; they view `file`, and are still to be read one by one.
std::variant<std::vector<std::span<const std::byte>>, EntryFault> read_cache_export(std::span<const std::byte> file);

}  // namespace graft::format
