// A set of packs is a `.graft` file with the packs of several kernels that belong together: the kernels of an FFT, for
// both directions and several architectures.
//
//     0   magic      8 bytes   89 'G' 'R' 'S' 'E' 'T' 0D 0A
//     8   version    u32       1
//     12  count      u32       how many packs, 1 to 1024
//     16  sizes      u64 each  the size of each pack in bytes
//         packs                each pack begins at the next multiple of 16 bytes, with zeros before it
//         checksum   16 bytes  XXH3-128 of all preceding bytes: low half, high half
//
// The number in front of a field is its offset in bytes. Numbers are little-endian. Equal sets have equal bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "format/outcome.hpp"

namespace graft::format {

inline constexpr std::uint32_t kPackSetVersion = 1;
inline constexpr std::size_t kMostPacks = 1024;

bool is_pack_set(std::span<const std::byte> bytes) noexcept;

// `packs` has 1 to kMostPacks elements.
base::Bytes write_pack_set(std::span<const base::Bytes> packs);

// Returns views into `bytes`. Does not read the packs.
Outcome<std::vector<std::span<const std::byte>>> read_pack_set(std::span<const std::byte> bytes);

}  // namespace graft::format
