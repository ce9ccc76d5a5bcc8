// What packs have in common, whether they are compressed or not: the size of the file at byte 16, and the file's
// checksum at its end (framing.hpp).
#pragma once

#include <cstddef>
#include <optional>

#include "format/byte_view.hpp"
#include "format/outcome.hpp"

namespace graft::format {

inline constexpr std::size_t kPackWholeSizeAt = 16;

// What is wrong with the size of a pack whose header has this many bytes: the pack is cut off, or has more bytes than
// the header says.
std::optional<FormatError> objection_to_size(const ByteView& pack, std::size_t header_bytes);

// Call only if the pack has kChecksumBytes bytes at least.
std::optional<FormatError> objection_to_checksum(const ByteView& pack);

}  // namespace graft::format
