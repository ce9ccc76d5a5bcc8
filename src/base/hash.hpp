// A 128-bit content hash (XXH3): for keys and checksums, not against forgers.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace graft::base {

struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  auto operator<=>(const Hash128&) const = default;
  std::string hex() const;
};

// Of the text alone.
Hash128 hash(std::string_view text) noexcept;

}  // namespace graft::base
