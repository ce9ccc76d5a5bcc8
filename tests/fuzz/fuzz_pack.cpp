// Any bytes as a pack: as they are, with sizes and checksum made good, which no mutation would hit on, and as the
// metadata of a pack without images.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/hash.hpp"
#include "format/pack.hpp"
#include "fuzz/sealed.hpp"

namespace {

void put(std::string& bytes, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
}

// What is read must be what would be written.
void read(const std::string& bytes) {
  const auto pack = graft::format::read_pack(graft::base::as_bytes(bytes));
  if (!pack) return;
  const auto again = graft::format::write_pack(*pack);
  if (!again || graft::base::as_text(*again) != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kSmallest = 40;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  read(bytes);
  read(std::string(graft::base::as_text(graft::fuzz::pack_around(graft::base::as_bytes(bytes)))));
  if (size < kSmallest) return 0;
  put(bytes, 16, size);
  const graft::base::Hash128 checksum = graft::base::hash(std::string_view(bytes).substr(0, size - 16));
  put(bytes, size - 16, checksum.low);
  put(bytes, size - 8, checksum.high);
  read(bytes);
  return 0;
}
