// A compressed pack is a pack of version 3 (pack.hpp) in one frame of zstd. It has version 4 in the place where packs
// have their version, so an earlier graft says that it does not read this version.
//
//     0   magic      8 bytes   that of packs
//     8   version    u32       4
//     12  coding     u32       1: zstd
//     16  whole      u64       size of the file in bytes
//     24  content    u64       size of the pack in the frame in bytes
//     32  frame                the pack (compressed.hpp)
//         checksum   16 bytes  XXH3-128 of all preceding bytes: low half, high half
//
// The number in front of a field is its offset in bytes. Numbers are little-endian. Another version of zstd may make
// another frame of the same pack.
//
// The frame has all parts, because they repeat each other: a pack of relu has 14.3 kB then, and 16.8 kB with a frame
// for each part; a pack of gelu for halves 24.1 and 26.6 kB.
#pragma once

#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "format/outcome.hpp"

namespace graft::format {

inline constexpr std::uint32_t kCompressedPackVersion = 4;

bool is_compressed_pack(std::span<const std::byte> bytes) noexcept;

// Compresses a pack of version 3. Returns `pack` itself if it must be stored (compressed.hpp) or would not be smaller,
// and if it is something else, such as LTO-IR.
base::Bytes compressed_pack(base::Bytes pack);

// Returns the pack in a compressed pack, without reading it. Call only if is_compressed_pack.
Outcome<base::Bytes> decompressed_pack(std::span<const std::byte> bytes);

}  // namespace graft::format
