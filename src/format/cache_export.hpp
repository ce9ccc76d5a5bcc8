// The format of a cache export. An export is a file with several cache entries, which carries them to another machine.
//
//     export   = magic version count { size entry } checksum
//     magic    = "GRAFTEXP"                             8 bytes
//     version  = 2                                      4 bytes; all numbers are little-endian
//     count    = the number of entries                  4 bytes
//     size     = the size of the entry in bytes         8 bytes
//     entry    = the content of one cache entry's file  (cache_entry.hpp), whose version equals the export's
//     checksum = XXH3-128 of all preceding bytes        16 bytes, the low half first
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

// Whether the bytes begin like a cache export of this or another version.
bool is_cache_export(std::span<const std::byte> bytes);
// Whether the bytes begin like an export that this version can read.
bool is_of_this_version(std::span<const std::byte> bytes);

base::Bytes write_cache_export(const std::vector<base::Bytes>& entries);

// The content of each entry's file, as a view into `file`. Does not check the entries; call read_cache_entry for each
// entry.
std::variant<std::vector<std::span<const std::byte>>, EntryFault> read_cache_export(std::span<const std::byte> file);

}  // namespace graft::format
