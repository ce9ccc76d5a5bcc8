// Appends valid checksums to fuzzed bytes. A fuzzer cannot guess a hash, so each target reads its input twice, once
// unchanged and once with a valid checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.hpp"
#include "base/little_endian.hpp"
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

}  // namespace graft::fuzz
