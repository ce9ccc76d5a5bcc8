// The cache settings of an engine: its CacheOptions, with unset options taken from the environment variables
// GRAFT_CACHE, GRAFT_CACHE_DIR, GRAFT_CACHE_PATH and GRAFT_CACHE_MAX_BYTES.
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
  // One line for reports: names an invalid setting, or says why there is no cache folder. Empty when all is well.
  std::string problem;

  bool uses_memory() const noexcept { return policy != CachePolicy::Off; }
  bool uses_disk() const noexcept { return policy != CachePolicy::Off && policy != CachePolicy::MemoryOnly; }
  bool may_build() const noexcept { return policy != CachePolicy::ForbidCompiling; }
};

// The name of the policy in the environment variable GRAFT_CACHE: "read-write".
std::string_view word(CachePolicy policy);

// Takes each option that is unset from its environment variable: GRAFT_CACHE, GRAFT_CACHE_DIR, GRAFT_CACHE_PATH,
// GRAFT_CACHE_MAX_BYTES. Pure function.
CacheSettings resolve(const CacheOptions& options, const store::Environment& environment);

}  // namespace graft::engine
