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

// A fuzzer cannot guess the sizes in the header of a compressed entry, so the input also becomes the frame of one, with
// an empty image and the size that the frame states.
base::Bytes entry_around_frame(std::span<const std::byte> frame) {
  base::LittleEndianWriter file;
  file.bytes(base::as_bytes("GRAFTENT"));
  file.u32(format::kCacheEntryVersion);
  file.u32(static_cast<std::uint32_t>(format::Coding::Zstd));
  for (const std::uint64_t size : {std::uint64_t{0}, fuzz::stated_size(frame), std::uint64_t{0}}) file.u64(size);
  file.bytes(frame);
  return fuzz::sealed(file.written());
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
  // Writing the entry, stored or compressed, and reading it again must give the same entry.
  for (const format::Coding coding : {format::Coding::None, format::Coding::Zstd}) {
    const auto again = format::read_cache_entry(format::write_cache_entry(*found, coding), objection);
    const auto& entry_again = std::get<format::CacheEntry>(again);
    if (entry_again.report.to_json() != found->report.to_json() || entry_again.image != found->image) std::abort();
  }
  format::parse_key(found->key);
  (void)found->report.to_text();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  read(file);
  read(fuzz::sealed(file));
  read(entry_around_frame(file));
  if (const auto frame = format::compressed(file, format::Effort::Quick)) read(entry_around_frame(*frame));
  return 0;
}
