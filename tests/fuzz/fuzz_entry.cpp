// libFuzzer on the readers of files that may come from anyone: cache entries and exports, with a checksum that fits as
// often as one that does not.
//
//     cmake -B build-fuzz -DGRAFT_BUILD_FUZZERS=ON -DCMAKE_CXX_COMPILER=clang++
//     build-fuzz/bin/fuzz_entry -max_total_time=600 NEW_FOLDER tests/fuzz/corpus/entry
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "format/cache_entry.hpp"
#include "format/cache_export.hpp"
#include "format/key_fields.hpp"

namespace {

using namespace graft;

void read(std::span<const std::byte> file) {
  const auto entry = format::read_cache_entry(file);
  if (const auto* found = std::get_if<format::CacheEntry>(&entry)) {
    // What was read is written and read again, equal.
    const auto again = format::read_cache_entry(format::write_cache_entry(*found));
    if (std::get<format::CacheEntry>(again).report.to_json() != found->report.to_json()) std::abort();
    format::parse_key(found->key);
    (void)found->report.to_text();
  }
  const auto entries = format::read_cache_export(file);
  if (entries.index() == 0)
    for (const std::span<const std::byte> one : std::get<0>(entries)) (void)format::read_cache_entry(one);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  read(file);
  // No fuzzer guesses a hash: sealed, the same bytes get past it.
  base::LittleEndianWriter sealed;
  sealed.bytes(file);
  const base::Hash128 sum = base::hash(base::as_text(file));
  sealed.u64(sum.low);
  sealed.u64(sum.high);
  read(sealed.written());
  return 0;
}
