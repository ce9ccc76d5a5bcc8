#include "format/pack_version_2.hpp"

#include <cstdint>
#include <string_view>

#include "base/bytes.hpp"
#include "base/format.hpp"
#include "format/byte_view.hpp"
#include "format/framing.hpp"

namespace graft::format {
namespace {

constexpr std::string_view kMagic = "\x89GRSET\r\n";
constexpr std::uint32_t kSetVersion = 1;
constexpr std::size_t kMostPacks = 1024;
constexpr std::size_t kVersionAt = 8;
constexpr std::size_t kCountAt = 12;
constexpr std::size_t kSizesAt = 16;

using Packs = std::vector<std::span<const std::byte>>;

FormatError damaged(const char* message, std::size_t offset) {
  return {Flaw::Damaged, message, offset};
}

}  // namespace

bool is_pack_set(std::span<const std::byte> bytes) noexcept {
  return base::as_text(bytes).starts_with(kMagic);
}

Outcome<Packs> read_pack_set(std::span<const std::byte> bytes) {
  const ByteView view(bytes);
  if (!is_pack_set(bytes)) return FormatError{Flaw::Unknown, "this is not a set of packs", 0};
  const auto version = view.number<std::uint32_t>(kVersionAt);
  const auto count = view.number<std::uint32_t>(kCountAt);
  if (version && *version > kSetVersion)
    return FormatError{Flaw::Newer,
                       base::format("the set of packs has format version {}, but this graft reads only version {}",
                                    *version, kSetVersion),
                       kVersionAt};
  if (version == 0u) return damaged("the set of packs has format version 0, which does not exist", kVersionAt);
  if (count && (*count == 0 || *count > kMostPacks))
    return damaged("the set of packs has an impossible number of packs", kCountAt);
  if (!count || !view.has(kSizesAt, std::uint64_t{*count} * sizeof(std::uint64_t)))
    return FormatError{Flaw::Truncated, "the set of packs ends inside its header", view.size()};

  Packs packs;
  std::size_t at = kSizesAt + *count * sizeof(std::uint64_t);
  for (std::size_t i = 0; i < *count; ++i) {
    const std::size_t begin = aligned(at);
    const auto size = view.get<std::uint64_t>(kSizesAt + i * sizeof(std::uint64_t));
    if (!view.has(begin, size))
      return FormatError{Flaw::Truncated, base::format("the set of packs is cut off in pack {} of {}", i + 1, *count),
                         view.size()};
    if (!is_zero(bytes.subspan(at, begin - at))) return damaged("the padding between the packs is not zero", at);
    packs.push_back(bytes.subspan(begin, static_cast<std::size_t>(size)));
    at = begin + static_cast<std::size_t>(size);
  }
  if (!view.has(at, kChecksumBytes))
    return FormatError{Flaw::Truncated, "the set of packs ends too early", view.size()};
  if (at + kChecksumBytes != bytes.size()) return damaged("the set of packs has extra bytes after its last pack", at);
  if (!has_checksum(bytes)) return damaged("the set of packs is damaged: its checksum does not match", at);
  return packs;
}

}  // namespace graft::format
