// Appends valid checksums to fuzzed bytes. A fuzzer cannot guess a hash, so each target reads its input twice, once
// unchanged and once with a valid checksum.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "format/compressed.hpp"
#include "format/compressed_pack.hpp"
#include "format/pack.hpp"

namespace graft::fuzz {

inline base::Bytes sealed(std::span<const std::byte> file) {
  base::LittleEndianWriter writer;
  writer.bytes(file);
  const base::Hash128 sum = base::hash(base::as_text(file));
  writer.u64(sum.low);
  writer.u64(sum.high);
  return writer.take();
}

// Builds a complete pack with a valid checksum from metadata and images.
inline base::Bytes pack_around(std::span<const std::byte> metadata, std::span<const std::byte> images = {},
                               std::uint32_t version = format::kPackVersion) {
  constexpr std::size_t kHeader = 24;
  constexpr std::size_t kChecksum = 16;
  constexpr std::size_t kImageAlignment = 16;
  const std::size_t end = kHeader + metadata.size();
  const std::size_t begin = images.empty() ? end : (end + kImageAlignment - 1) / kImageAlignment * kImageAlignment;
  base::LittleEndianWriter writer;
  writer.bytes(base::as_bytes("\x89GRAFT\r\n"));
  writer.u32(version);
  writer.u32(static_cast<std::uint32_t>(metadata.size()));
  writer.u64(begin + images.size() + kChecksum);
  writer.bytes(metadata);
  writer.bytes(base::Bytes(begin - end));
  writer.bytes(images);
  return sealed(writer.written());
}

// Returns the size of the content that a frame of zstd states in its header, or 0 if the frame states none (RFC 8878,
// 3.1.1.1).
inline std::uint64_t stated_size(std::span<const std::byte> frame) {
  if (frame.size() < 5) return 0;
  const auto flags = std::to_integer<unsigned>(frame[4]);
  const bool has_window = (flags & 0x20) == 0;
  constexpr std::size_t kDictionaryBytes[] = {0, 1, 2, 4};
  const std::size_t size_bytes[] = {has_window ? 0u : 1u, 2, 4, 8};
  const std::size_t at = 5 + (has_window ? 1 : 0) + kDictionaryBytes[flags & 3];
  const std::size_t bytes = size_bytes[flags >> 6];
  if (bytes > frame.size() - std::min(at, frame.size())) return 0;
  return base::little_endian(frame.subspan(at, bytes)) + (bytes == 2 ? 256 : 0);
}

// Builds a complete compressed pack with a valid checksum from a frame (format/compressed_pack.hpp).
inline base::Bytes pack_around_frame(std::span<const std::byte> frame, std::uint64_t content_size) {
  constexpr std::size_t kHeader = 32;
  constexpr std::size_t kChecksum = 16;
  base::LittleEndianWriter writer;
  writer.bytes(base::as_bytes("\x89GRAFT\r\n"));
  writer.u32(format::kCompressedPackVersion);
  writer.u32(static_cast<std::uint32_t>(format::Coding::Zstd));
  writer.u64(kHeader + frame.size() + kChecksum);
  writer.u64(content_size);
  writer.bytes(frame);
  return sealed(writer.written());
}

}  // namespace graft::fuzz
