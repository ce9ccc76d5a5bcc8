#include "families/kept_kernels.hpp"

#include "families/kernel_check.hpp"

namespace graft::families {
namespace {

std::string objection(const Report& report) {
  return objection_to(report);
}

}  // namespace

format::Outcome<format::Pack> read_pack(std::span<const std::byte> bytes) {
  return format::read_pack(bytes, objection);
}

format::Outcome<base::Bytes> write_pack(const format::Pack& pack) {
  return format::write_pack(pack, objection);
}

std::string objection_to(const format::CacheEntry& entry) {
  std::string why = format::objection_to(entry, objection);
  return why.empty() ? objection_to_image(entry.report.kernel, entry.image) : why;
}

std::variant<format::CacheEntry, format::EntryFault> read_cache_entry(std::span<const std::byte> file) {
  auto read = format::read_cache_entry(file, objection);
  const auto* const entry = std::get_if<format::CacheEntry>(&read);
  // No build of graft writes such an image, so `build` does not matter here.
  if (entry != nullptr && !objection_to_image(entry->report.kernel, entry->image).empty())
    return format::EntryFault::Damaged;
  return read;
}

}  // namespace graft::families
