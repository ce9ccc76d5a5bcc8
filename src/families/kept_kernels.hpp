// Reads and writes packs and cache entries, and checks the kernels in them. A file's checksum detects accidental
// damage; the kernel check rejects kernels that graft cannot have made (kernel_check.hpp). Code outside src/format must
// use these functions instead of those in src/format, which do not check kernels. The image of a cache entry is checked
// here; the images of a pack are checked when one of them is chosen for a request (routes/pack_contents.hpp).
#pragma once

#include <span>
#include <variant>

#include "format/cache_entry.hpp"
#include "format/pack.hpp"

namespace graft::families {

format::Outcome<format::Pack> read_pack(std::span<const std::byte> bytes);
format::Outcome<base::Bytes> write_pack(const format::Pack& pack);
// Returns the reason why read_cache_entry would reject this entry as damaged. Empty if the entry may be written.
std::string objection_to(const format::CacheEntry& entry);
std::variant<format::CacheEntry, format::EntryFault> read_cache_entry(std::span<const std::byte> file);

}  // namespace graft::families
