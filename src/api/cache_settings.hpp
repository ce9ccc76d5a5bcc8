// What an engine's cache options and the environment come to.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "graft/engine.hpp"
#include "store/place.hpp"
#include "store/store.hpp"

namespace graft {

struct CacheSettings {
  CachePolicy policy = CachePolicy::ReadWrite;
  store::Settings store;
  bool exact_tools = false;
  std::string problem;  // a setting that means nothing, or no place for a cache; one line for reports

  bool uses_memory() const noexcept { return policy != CachePolicy::Off; }
  bool uses_disk() const noexcept { return policy != CachePolicy::Off && policy != CachePolicy::MemoryOnly; }
  bool may_build() const noexcept { return policy != CachePolicy::ForbidCompiling; }
};

// As GRAFT_CACHE says it: "read-write".
std::string_view word(CachePolicy policy);

// Pure. What the options leave open, the environment says: GRAFT_CACHE, GRAFT_CACHE_DIR, GRAFT_CACHE_PATH,
// GRAFT_CACHE_MAX_BYTES.
CacheSettings resolve(const CacheOptions& options, const store::Environment& environment);

}  // namespace graft
