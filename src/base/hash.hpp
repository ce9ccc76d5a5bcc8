// A 128-bit content hash (XXH3) for keys and checksums. It is not cryptographic and does not protect against forgery.
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
  std::string hex() const;  // 32 digits, the high half first
};

// Depends on the text alone: there is no seed.
Hash128 hash(std::string_view text) noexcept;

}  // namespace graft::base
