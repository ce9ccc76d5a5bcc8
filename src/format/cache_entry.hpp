// The format of a cache entry. An entry is a file with one kernel, the kernel's report, and the key: a text with the
// callback, the architecture, the options and all else that identifies the request for the kernel.
//
//     entry    = magic version coding key_size meta_size image_size key content checksum
//     magic    = "GRAFTENT"                             8 bytes
//     version  = 3                                      4 bytes; all numbers are little-endian
//     coding   = 0: stored, 1: compressed with zstd     4 bytes
//     *_size   = the size of that part in bytes         8 bytes each; of meta and image, the size before compression
//     key      = the whole key of the request           text (key_fields.hpp)
//     content  = meta image                             or one frame of zstd that contains both (compressed.hpp)
//     meta     = report_size (8 bytes) report tools     report: a record (core/fields.hpp), with the fields `build`
//                                                       and `recipe` added; tools: text
//     image    = the kernel                             a cubin
//     checksum = XXH3-128 of all preceding bytes        16 bytes, the low half first
//
// The key is never compressed, because scans of the cache read nothing else. Meta and image are in one frame: an entry
// of 50 kB has 11 kB then, and 21 kB if only its text is compressed. Reading the entry takes 0.065 ms, and 0.05 ms if
// it is stored (decompressing takes 0.03 to 0.04 ms, but the checksum covers less), so create hardly takes longer.
//
// An entry is damaged when the sizes of its parts do not make up its content, or when the kernel cannot be the one that
// the key requests: the image is a host image, the kernel is for another architecture, the report describes a kernel
// that graft cannot have made, for example with 48 threads per block, or the image is code for another architecture or
// does not contain the kernel's symbol (families/kept_kernels.hpp).
//
// Version history, with golden files in tests/format/golden:
//
//     1   The report's fields were written in sequence, without tags, in an order that changed with the report.
//     2   The report is a record of tagged fields. Adding a field does not change the version: an earlier graft ignores
//         an entry that has an unknown field, and does not delete the entry. This graft reads version 2, which exports
//         may contain.
//     3   Report and image may be compressed. Version 2 had 0 in place of the coding, and is otherwise equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.hpp"
#include "format/compressed.hpp"
#include "format/outcome.hpp"
#include "graft/report.hpp"

namespace graft::format {

inline constexpr std::uint32_t kCacheEntryVersion = 3;

struct CacheEntry {
  std::string key;
  Report report;
  // A route is a way to build a kernel. `tools` is empty when the route that graft prefers for the request made the
  // kernel. Otherwise a tool for the preferred route was missing or unusable, and `tools` is the state of the tools at
  // that time (Toolkit::state(): paths, sizes, times). The entry is then valid only while the tools are in the same
  // state.
  std::string tools;
  base::Bytes image;
  std::string build = {};   // the build of graft that made the kernel (core/version.hpp)
  std::string recipe = {};  // hash of all that graft itself adds to the kernel (routes/recipe.hpp)
};

enum class EntryFault : std::uint8_t {
  Damaged,       // the file is not an entry, is truncated or changed, or describes a kernel that graft cannot make
  OfGraft01,     // format version 1 (graft 0.1), which this version of graft does not read
  OtherVersion,  // a later format version, or this version with a field or tuning that another build of graft added
  Compressed,    // compressed with zstd, and this build of graft has no zstd; the sizes and the checksum are correct
};

// Returns the fault of a file with format version `version`, for a reader that reads only format version `own`. Returns
// nothing if the versions are equal.
std::optional<EntryFault> fault_of_version(std::uint32_t version, std::uint32_t own);

// Returns the reason why read_cache_entry would call this entry damaged. Empty when the entry can be written.
std::string objection_to(const CacheEntry& entry, KernelCheck* objection);

// Returns the bytes of the entry's file. Compresses the content unless `coding` is None or the content must be stored
// (format/compressed.hpp). Does not check the entry; call objection_to first.
base::Bytes write_cache_entry(const CacheEntry& entry, Coding coding = Coding::Zstd);

std::variant<CacheEntry, EntryFault> read_cache_entry(std::span<const std::byte> file, KernelCheck* objection);

// Reads the key only, as a view into `file`, also in a build without zstd. Checks the sizes and the checksum, but
// neither the report nor the kernel, and decompresses nothing.
std::variant<std::string_view, EntryFault> read_cache_entry_key(std::span<const std::byte> file);

}  // namespace graft::format
