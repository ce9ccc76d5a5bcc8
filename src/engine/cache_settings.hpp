// The cache settings of an engine: its CacheOptions, completed from the environment variables GRAFT_CACHE, ...
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "graft/engine.hpp"
#include "store/place.hpp"
#include "store/store.hpp"

namespace graft::engine {

struct CacheSettings {
  CachePolicy policy = CachePolicy::ReadWrite;
  store::Settings store;
  bool exact_tools = false;
  std::string problem;  // an invalid setting, or why there is no cache folder; one line for reports

  bool uses_memory() const noexcept { return policy != CachePolicy::Off; }
  bool uses_disk() const noexcept { return policy != CachePolicy::Off && policy != CachePolicy::MemoryOnly; }
  bool may_build() const noexcept { return policy != CachePolicy::ForbidCompiling; }
};

// The policy as GRAFT_CACHE spells it: "read-write".
std::string_view word(CachePolicy policy);

// Takes each option that is unset from the environment: GRAFT_CACHE, GRAFT_CACHE_DIR, GRAFT_CACHE_PATH,
// GRAFT_CACHE_MAX_BYTES. Pure.
CacheSettings resolve(const CacheOptions& options, const store::Environment& environment);

}  // namespace graft::engine
