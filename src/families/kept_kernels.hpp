// Packs and cache entries with the kernels in them checked: a checksum keeps out accidents, and this what no graft
// made (kernel_check.hpp). Whoever reads or writes one outside of src/format does it here.
#pragma once

#include <span>
#include <variant>

#include "format/cache_entry.hpp"
#include "format/pack.hpp"

namespace graft::families {

format::Outcome<format::Pack> read_pack(std::span<const std::byte> bytes);
format::Outcome<base::Bytes> write_pack(const format::Pack& pack);
// Why this would be damage where it is read; empty when it can be kept.
std::string objection_to(const format::CacheEntry& entry);
std::variant<format::CacheEntry, format::EntryFault> read_cache_entry(std::span<const std::byte> file);

}  // namespace graft::families
