// Reads and writes packs and cache entries, and checks the kernels in them. A file's checksum detects accidental
// damage; the kernel check rejects kernels that graft cannot have made (kernel_check.hpp). Code outside src/format must
// use these functions instead of those in src/format, which do not check kernels. The image of a cache entry is checked
// here; the parts of a pack are checked when one of them is chosen for a request (routes/pack_contents.hpp).
#pragma once

#include <span>
#include <string>
#include <variant>
#include <vector>

#include "format/cache_entry.hpp"
#include "format/pack.hpp"

namespace graft::families {

// The kernels of a pack of version 2 are described as those of version 3 (Family::upgrade).
format::Outcome<format::Pack> read_pack(std::span<const std::byte> bytes);
// The error is Flaw::Unfit for a pack that read_pack would refuse, because the pack has too much metadata or a
// kernel that graft cannot have made.
format::Outcome<base::Bytes> write_pack(const format::Pack& pack);

// Returns whether a job of a pack is taken as a callback, and not by the face of its family: it has one kernel, which
// stands for itself or is of a family without a face.
bool is_for_callbacks(const format::PackJob& job);
// Returns what messages call a job: its name, the entry of its callback, or what the family calls it ("a sum of 4096
// rows").
std::string title_of(const format::PackJob& job);
// Returns texts of a pack for a message, with commas between them: of many the first twenty, each printable and short.
std::string listed(const std::vector<std::string>& texts);
// Returns the titles of the jobs as `listed` shows them.
std::string titles_of(const format::Pack& pack);

// Returns the reason why read_cache_entry would reject this entry as damaged. Empty if the entry may be written.
std::string objection_to(const format::CacheEntry& entry);
std::variant<format::CacheEntry, format::EntryFault> read_cache_entry(std::span<const std::byte> file);

}  // namespace graft::families
