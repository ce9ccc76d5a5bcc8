// The dividers in a kernel's parameter, by which a kernel makes the coordinates of an element (graft::Position) of its
// index.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "contract.h"

namespace graft::elementwise {

// Returns the divider that is right for every number below 2^63.
graft_divider coordinate_divider(std::uint32_t extent) noexcept;

// Writes so many dividers. The extents are those of the call, the innermost first; those that are missing are 1.
// Extents that do not fit into 32 bits must not be among those that are divided by: see long_extent().
void put_dividers(std::span<const std::uint64_t> extents, std::size_t coordinates, std::byte* to) noexcept;

// Returns the first of so many extents that is too long for coordinates of 32 bits, or nothing.
std::optional<std::uint64_t> long_extent(std::span<const std::uint64_t> extents, std::size_t coordinates) noexcept;

}  // namespace graft::elementwise
