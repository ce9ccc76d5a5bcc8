// Fuzzes the reader of cache exports, which reads files that come from other machines.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "families/kept_kernels.hpp"
#include "format/cache_entry.hpp"
#include "format/cache_export.hpp"
#include "fuzz/sealed.hpp"

namespace {

using namespace graft;

void read(std::span<const std::byte> file) {
  const auto read = format::read_cache_export(file);
  if (read.index() != 0) return;
  std::vector<base::Bytes> entries;
  for (const std::span<const std::byte> entry : std::get<0>(read)) {
    (void)families::read_cache_entry(entry);
    (void)families::read_cache_entry(fuzz::sealed(entry));
    entries.emplace_back(entry.begin(), entry.end());
  }
  // The format is unambiguous: writing the same entries must give the same bytes.
  const base::Bytes again = format::write_cache_export(entries);
  if (base::as_text(again) != base::as_text(file)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file = std::as_bytes(std::span(data, size));
  read(file);
  read(fuzz::sealed(file));
  return 0;
}
