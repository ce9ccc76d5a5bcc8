// Reads what only version 2 of packs had: sets of packs. A set is a `.graft` file with the packs of several kernels
// of one job, for several architectures. graft no longer writes sets.
//
//     0   magic      8 bytes   89 'G' 'R' 'S' 'E' 'T' 0D 0A
//     8   version    u32       1
//     12  count      u32       how many packs, 1 to 1024
//     16  sizes      u64 each  the size of each pack in bytes
//         packs                each pack begins at the next multiple of 16 bytes, with zeros before it
//         checksum   16 bytes  XXH3-128 of all preceding bytes: low half, high half
//
// The number in front of a field is its offset in bytes. Numbers are little-endian.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "format/outcome.hpp"

namespace graft::format {

bool is_pack_set(std::span<const std::byte> bytes) noexcept;

// Returns views into `bytes`. Does not read the packs.
Outcome<std::vector<std::span<const std::byte>>> read_pack_set(std::span<const std::byte> bytes);

}  // namespace graft::format
