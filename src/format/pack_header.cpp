#include "format/pack_header.hpp"

#include <cstdint>

#include "base/format.hpp"
#include "format/framing.hpp"

namespace graft::format {

std::optional<FormatError> objection_to_size(const ByteView& pack, std::size_t header_bytes) {
  if (!pack.has(0, header_bytes)) return FormatError{Flaw::Truncated, "the pack ends inside its header", pack.size()};
  const auto whole = pack.get<std::uint64_t>(kPackWholeSizeAt);
  if (whole > pack.size())
    return FormatError{Flaw::Truncated, base::format("the pack is cut off after {} of {} bytes", pack.size(), whole),
                       pack.size()};
  if (whole < pack.size())
    return FormatError{Flaw::Damaged, base::format("the file has more than the pack's {} bytes", whole),
                       static_cast<std::size_t>(whole)};
  return std::nullopt;
}

std::optional<FormatError> objection_to_checksum(const ByteView& pack) {
  if (has_checksum(pack.bytes())) return std::nullopt;
  return FormatError{Flaw::Damaged, "the pack is damaged: its checksum does not match", pack.size() - kChecksumBytes};
}

}  // namespace graft::format
