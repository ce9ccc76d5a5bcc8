// CacheSettings holds the cache settings of an engine. The settings come from the engine's CacheOptions. The
// environment variables GRAFT_CACHE, GRAFT_CACHE_DIR, GRAFT_CACHE_PATH and GRAFT_CACHE_MAX_BYTES give the policy, the
// folder, the layers and the size limit that the application left unset.
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
  bool exact_tools = false;  // CacheOptions::exact_tools
  // A line for each kernel's report, which names an invalid setting or says why there is no cache folder. Empty when
  // there is no problem.
  std::string problem;

  bool uses_memory() const noexcept { return policy != CachePolicy::Off; }
  bool uses_disk() const noexcept { return policy != CachePolicy::Off && policy != CachePolicy::MemoryOnly; }
  bool may_build() const noexcept { return policy != CachePolicy::ForbidCompiling; }
};

// Returns the name of the policy in the environment variable GRAFT_CACHE, for example "read-write".
std::string_view word(CachePolicy policy);

// Computes the settings. `environment` returns the value of a variable, or an empty string for an unset variable. Pure
// function.
CacheSettings resolve(const CacheOptions& options, const store::Environment& environment);

}  // namespace graft::engine
