#include "base/hash.hpp"

#include <fmt/format.h>
#include <xxhash.h>

namespace graft::base {

std::string Hash128::hex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

Hash128 hash(std::string_view text) noexcept {
  const XXH128_hash_t value = XXH3_128bits(text.data(), text.size());
  return {value.low64, value.high64};
}

}  // namespace graft::base
