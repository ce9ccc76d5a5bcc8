// Fuzzes the reader of cache entries, which reads files that other processes may have placed or truncated. The reader's
// last check refuses images that are no kernels, so the target also reads each file without this check.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "families/kept_kernels.hpp"
#include "families/kernel_check.hpp"
#include "format/cache_entry.hpp"
#include "format/key_fields.hpp"
#include "fuzz/sealed.hpp"

namespace {

using namespace graft;

std::string objection(const Report& report) {
  return families::objection_to(report);
}

void read(std::span<const std::byte> file) {
  const auto kept = families::read_cache_entry(file);
  const auto entry = format::read_cache_entry(file, objection);
  const auto key = format::read_cache_entry_key(file);
  const auto* const found = std::get_if<format::CacheEntry>(&entry);
  if (std::holds_alternative<format::CacheEntry>(kept) != (found != nullptr && families::objection_to(*found).empty()))
    std::abort();
  if (found == nullptr) return;
  if (std::get<std::string_view>(key) != found->key) std::abort();
  // Writing the entry and reading it again must give the same entry.
  const auto again = format::read_cache_entry(format::write_cache_entry(*found), objection);
  if (std::get<format::CacheEntry>(again).report.to_json() != found->report.to_json()) std::abort();
  format::parse_key(found->key);
  (void)found->report.to_text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  read(file);
  read(fuzz::sealed(file));
  return 0;
}
