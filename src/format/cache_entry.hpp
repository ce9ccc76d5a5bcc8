// A kernel in the cache: one file.
//
//     entry    = magic version reserved key_size meta_size image_size key meta image checksum
//     magic    = "GRAFTENT"                             8 bytes
//     version  = 2                                      4 bytes, as all numbers: little-endian
//     reserved = 0                                      4 bytes
//     *_size   = the length of the part of that name    8 bytes each
//     key      = the whole key of the request           text (key_fields.hpp)
//     meta     = report_size (8 bytes) report tools     a record (core/fields.hpp) with two fields more, and text
//     image    = the kernel                             a cubin
//     checksum = XXH3, 128 bits, of all in front of it  16 bytes, the low half first
//
// A file that is longer or shorter than its lengths say is damaged. So is one whose kernel cannot be what its key names
// (families/kept_kernels.hpp): a host image, a kernel for another architecture, a report that no kernel has. Version
// history, with golden files in tests/format/golden:
//
//     1   the report's fields one behind the other, in an order that changed with the report
//     2   the report as a record of tagged fields: a new one raises no version, and an earlier graft leaves the entry
//     be
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/bytes.hpp"
#include "format/kernel_check.hpp"
#include "graft/report.hpp"

namespace graft::format {

inline constexpr std::uint32_t kCacheEntryVersion = 2;

struct CacheEntry {
  std::string key;
  Report report;
  // Empty when the request got the route of its first choice. Otherwise the state of the tools (paths, sizes, times)
  // that were missing or unfit: the entry is good while that is unchanged.
  std::string tools;
  base::Bytes image;
  std::string build = {};   // of graft, that made it
  std::string recipe = {};  // a hash of what the kernel is made of beside its key
};

enum class EntryFault : std::uint8_t {
  Damaged,       // no entry, cut, changed, or impossible: nothing in it can be used
  OfGraft01,     // version 1, which this graft does not read
  OtherVersion,  // a later version of the format, or this one with what a later graft has added: fields, decisions
};

// Of a file with this version, where `own` is the one that is read.
std::optional<EntryFault> fault_of_version(std::uint32_t version, std::uint32_t own);

// Why this would be damage where it is read; empty when it can be kept.
std::string objection_to(const CacheEntry& entry, KernelCheck* objection);

// Writes whatever it is given.
base::Bytes write_cache_entry(const CacheEntry& entry);

std::variant<CacheEntry, EntryFault> read_cache_entry(std::span<const std::byte> file, KernelCheck* objection);

// The key alone: lengths and checksum are checked, and not what the entry says. It views the file.
std::variant<std::string_view, EntryFault> read_cache_entry_key(std::span<const std::byte> file);

}  // namespace graft::format
