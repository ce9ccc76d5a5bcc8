#include "format/cache_entry.hpp"

#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/cbor.hpp"
#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "core/report_cbor.hpp"

namespace graft::format {
namespace {

using nlohmann::json;

constexpr std::string_view kMagic = "GRAFTENT";
constexpr std::size_t kHeaderBytes = 40;
constexpr std::size_t kChecksumBytes = 16;

struct Parts {
  std::span<const std::byte> key;
  std::span<const std::byte> meta;
  std::span<const std::byte> image;
};

std::variant<Parts, EntryFault> split(std::span<const std::byte> file) {
  if (file.size() < kHeaderBytes + kChecksumBytes || !base::as_text(file).starts_with(kMagic))
    return EntryFault::Damaged;
  base::LittleEndianReader header(file.subspan(kMagic.size()));
  if (header.u32() != kCacheEntryVersion) return EntryFault::OtherVersion;
  const std::uint32_t reserved = header.u32();
  std::size_t left = file.size() - kHeaderBytes - kChecksumBytes;
  std::span<const std::byte> rest = file.subspan(kHeaderBytes, left);
  Parts parts;
  for (auto* part : {&parts.key, &parts.meta, &parts.image}) {
    const std::uint64_t size = header.u64();
    if (size > rest.size()) return EntryFault::Damaged;
    *part = rest.first(static_cast<std::size_t>(size));
    rest = rest.subspan(part->size());
  }
  if (reserved != 0 || !rest.empty()) return EntryFault::Damaged;
  const std::size_t covered = file.size() - kChecksumBytes;
  base::LittleEndianReader checksum(file.subspan(covered));
  const std::uint64_t low = checksum.u64();
  if (base::hash(base::as_text(file.first(covered))) != base::Hash128{low, checksum.u64()}) return EntryFault::Damaged;
  return parts;
}

std::optional<CacheEntry> unpack(const Parts& parts) {
  const json meta = base::from_cbor(parts.meta);
  if (!meta.is_object() || !meta.contains("report") || !meta.contains("tools")) return std::nullopt;
  const json& report = meta["report"];
  const json& tools = meta["tools"];
  if (!report.is_binary() || !tools.is_string()) return std::nullopt;
  const json::binary_t& cbor = report.get_binary();
  std::optional<Report> read = report_from_cbor(std::as_bytes(std::span(cbor)));
  if (!read) return std::nullopt;
  return CacheEntry{std::string(base::as_text(parts.key)), std::move(*read), tools.get<std::string>(),
                    base::Bytes(parts.image.begin(), parts.image.end())};
}

json::binary_t binary(const base::Bytes& bytes) {
  const auto* begin = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return json::binary_t({begin, begin + bytes.size()});
}

}  // namespace

base::Bytes write_cache_entry(const CacheEntry& entry) {
  const base::Bytes meta =
      base::to_cbor({{"report", json(binary(report_to_cbor(entry.report)))}, {"tools", entry.tools}});
  base::LittleEndianWriter file;
  file.bytes(base::as_bytes(kMagic));
  file.u32(kCacheEntryVersion);
  file.u32(0);
  file.u64(entry.key.size());
  file.u64(meta.size());
  file.u64(entry.image.size());
  file.bytes(base::as_bytes(entry.key));
  file.bytes(meta);
  file.bytes(entry.image);
  const base::Hash128 checksum = base::hash(base::as_text(file.written()));
  file.u64(checksum.low);
  file.u64(checksum.high);
  return file.take();
}

std::variant<CacheEntry, EntryFault> read_cache_entry(std::span<const std::byte> file) {
  const auto parts = split(file);
  if (const auto* fault = std::get_if<EntryFault>(&parts)) return *fault;
  std::optional<CacheEntry> entry = unpack(std::get<Parts>(parts));
  if (!entry) return EntryFault::Damaged;
  return std::move(*entry);
}

std::variant<std::string_view, EntryFault> read_cache_entry_key(std::span<const std::byte> file) {
  const auto parts = split(file);
  if (const auto* fault = std::get_if<EntryFault>(&parts)) return *fault;
  return base::as_text(std::get<Parts>(parts).key);
}

}  // namespace graft::format
