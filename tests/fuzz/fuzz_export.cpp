// The reader of exports: files that another machine wrote, or anybody.
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
  // One list of entries is one file: what was taken apart and put together is what it was.
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
