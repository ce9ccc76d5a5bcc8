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
  return format::objection_to(entry, objection);
}

std::variant<format::CacheEntry, format::EntryFault> read_cache_entry(std::span<const std::byte> file) {
  return format::read_cache_entry(file, objection);
}

}  // namespace graft::families
