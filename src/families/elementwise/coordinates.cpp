#include "families/elementwise/coordinates.hpp"

#include <algorithm>
#include <cstring>

#include "families/form.hpp"

namespace graft::elementwise {
namespace {

// The quotient is 0: nothing lies outside of this dimension, and the coordinate is the number itself.
constexpr graft_divider kOutermost = {.multiplier = 0, .extent = 0, .shift = 63};

}  // namespace

graft_divider coordinate_divider(std::uint32_t extent) noexcept {
  const families::LongDivider divider = families::long_divider_of(extent);
  return {divider.multiplier, extent, divider.shift};
}

void put_dividers(std::span<const std::uint64_t> extents, std::size_t coordinates, std::byte* to) noexcept {
  for (std::size_t k = 0; k < coordinates; ++k, to += sizeof(graft_divider)) {
    const auto outside = extents.subspan(std::min(k + 1, extents.size()));
    const bool is_outermost = std::ranges::all_of(outside, [](std::uint64_t extent) { return extent == 1; });
    const graft_divider divider =
        is_outermost ? kOutermost : coordinate_divider(static_cast<std::uint32_t>(extents[k]));
    std::memcpy(to, &divider, sizeof divider);
  }
}

std::optional<std::uint64_t> long_extent(std::span<const std::uint64_t> extents, std::size_t coordinates) noexcept {
  const auto first = extents.first(std::min(coordinates, extents.size()));
  const auto found = std::ranges::find_if(first, [](std::uint64_t extent) { return extent >> 32 != 0; });
  return found == first.end() ? std::nullopt : std::optional(*found);
}

}  // namespace graft::elementwise
