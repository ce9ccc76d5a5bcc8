#include "base/hash.hpp"

#include <xxhash.h>

#include "base/format.hpp"

namespace graft::base {

std::string Hash128::hex() const {
  return base::format("{:016x}{:016x}", high, low);
}

Hash128 hash(std::string_view text) noexcept {
  const XXH128_hash_t value = XXH3_128bits(text.data(), text.size());
  return {value.low64, value.high64};
}

}  // namespace graft::base
