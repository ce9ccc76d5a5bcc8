// A 128-bit hash of content (XXH3) for keys and checksums. It is not cryptographic, so it does not protect against
// forgery.
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
  // The hash as 32 hexadecimal digits, beginning with `high`.
  std::string hex() const;
};

// Returns the hash of the text. XXH3 is called without a seed, so equal texts have equal hashes in all processes.
Hash128 hash(std::string_view text) noexcept;

}  // namespace graft::base
