#include "format/compressed_pack.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "base/little_endian.hpp"
#include "format/byte_view.hpp"
#include "format/compressed.hpp"
#include "format/framing.hpp"
#include "format/pack.hpp"
#include "format/pack_header.hpp"

namespace graft::format {
namespace {

constexpr std::size_t kCodingAt = 12;
constexpr std::size_t kContentSizeAt = 24;
constexpr std::size_t kFrameAt = 32;

bool has_version(std::span<const std::byte> bytes, std::uint32_t version) noexcept {
  return base::as_text(bytes).starts_with(kPackMagic) &&
         ByteView(bytes).number<std::uint32_t>(kPackVersionAt) == version;
}

std::optional<FormatError> objection_to_header(const ByteView& view) {
  if (std::optional<FormatError> objection = objection_to_size(view, kFrameAt)) return objection;
  if (!view.has(kFrameAt, kChecksumBytes))
    return FormatError{Flaw::Damaged, "the pack's header gives an impossible size of the pack", kPackWholeSizeAt};
  if (std::optional<FormatError> objection = objection_to_checksum(view)) return objection;
  const auto coding = view.get<std::uint32_t>(kCodingAt);
  if (coding != static_cast<std::uint32_t>(Coding::Zstd))
    return FormatError{Flaw::Newer, base::format("the pack has the coding {}, which this graft does not know", coding),
                       kCodingAt};
  return std::nullopt;
}

}  // namespace

bool is_compressed_pack(std::span<const std::byte> bytes) noexcept {
  return has_version(bytes, kCompressedPackVersion);
}

base::Bytes compressed_pack(base::Bytes pack) {
  if (!has_version(pack, kPackVersion)) return pack;
  const std::optional<base::Bytes> frame = compressed(pack, Effort::Thorough);
  const std::size_t whole = kFrameAt + (frame ? frame->size() : 0) + kChecksumBytes;
  if (!frame || whole >= pack.size()) return pack;
  base::LittleEndianWriter writer;
  writer.bytes(base::as_bytes(kPackMagic));
  writer.u32(kCompressedPackVersion);
  writer.u32(static_cast<std::uint32_t>(Coding::Zstd));
  writer.u64(whole);
  writer.u64(pack.size());
  writer.bytes(*frame);
  append_checksum(writer);
  return writer.take();
}

Outcome<base::Bytes> decompressed_pack(std::span<const std::byte> bytes) {
  const ByteView view(bytes);
  if (std::optional<FormatError> objection = objection_to_header(view)) return std::move(*objection);
  Outcome<base::Bytes> pack = decompressed(bytes.subspan(kFrameAt, bytes.size() - kFrameAt - kChecksumBytes),
                                           view.get<std::uint64_t>(kContentSizeAt));
  if (!pack) return FormatError{pack.error().flaw, pack.error().message, kFrameAt};
  if (!has_version(*pack, kPackVersion))
    return FormatError{Flaw::Damaged, "the compressed content is no pack of version 3", kFrameAt};
  return pack;
}

}  // namespace graft::format
