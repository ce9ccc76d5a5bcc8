// Writes and reads cache exports. The reader checks the file's magic, version, checksum and sizes, and divides the file
// into entries. The reader does not check the content of the entries; read_cache_entry does.
#include "format/cache_export.hpp"

#include <string_view>

#include "base/little_endian.hpp"
#include "format/framing.hpp"

namespace graft::format {
namespace {

constexpr std::string_view kMagic = "GRAFTEXP";
constexpr std::size_t kHeaderBytes = 16;
constexpr std::size_t kSizeBytes = 8;

}  // namespace

bool is_cache_export(std::span<const std::byte> bytes) {
  return base::as_text(bytes).starts_with(kMagic);
}

bool is_of_this_version(std::span<const std::byte> bytes) {
  return is_cache_export(bytes) && base::LittleEndianReader(bytes.subspan(kMagic.size())).u32() == kCacheExportVersion;
}

base::Bytes write_cache_export(const std::vector<base::Bytes>& entries) {
  base::LittleEndianWriter file;
  file.bytes(base::as_bytes(kMagic));
  file.u32(kCacheExportVersion);
  file.u32(static_cast<std::uint32_t>(entries.size()));
  for (const base::Bytes& entry : entries) {
    file.u64(entry.size());
    file.bytes(entry);
  }
  append_checksum(file);
  return file.take();
}

std::variant<std::vector<std::span<const std::byte>>, EntryFault> read_cache_export(std::span<const std::byte> file) {
  if (file.size() < kHeaderBytes + kChecksumBytes || !is_cache_export(file)) return EntryFault::Damaged;
  base::LittleEndianReader header(file.subspan(kMagic.size()));
  if (const std::optional<EntryFault> fault = fault_of_version(header.u32(), kCacheExportVersion)) return *fault;
  const std::uint32_t count = header.u32();
  if (!has_checksum(file)) return EntryFault::Damaged;

  std::span<const std::byte> rest = file.subspan(kHeaderBytes, file.size() - kHeaderBytes - kChecksumBytes);
  std::vector<std::span<const std::byte>> entries;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (rest.size() < kSizeBytes) return EntryFault::Damaged;
    const std::uint64_t size = base::LittleEndianReader(rest).u64();
    rest = rest.subspan(kSizeBytes);
    if (size > rest.size()) return EntryFault::Damaged;
    entries.push_back(rest.first(static_cast<std::size_t>(size)));
    rest = rest.subspan(static_cast<std::size_t>(size));
  }
  if (!rest.empty()) return EntryFault::Damaged;
  return entries;
}

}  // namespace graft::format
