// Helpers of the tests of closed mode. In closed mode, a child process with limits on time and memory compiles
// callbacks that graft does not trust.
#pragma once

#include <filesystem>
#include <string>

#include "base/bytes.hpp"
#include "base/files.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft::test {

inline constexpr const char* kFormula = "__device__ float twice(float x) { return 2 * x; }";
inline constexpr Architecture kArchitecture{90};

inline Options closed(const Closed& bounds = {}) {
  Options options;
  options.closed = bounds;
  return options;
}

// Returns options for an engine without caches.
inline EngineOptions no_cache() {
  EngineOptions options;
  options.cache.policy = CachePolicy::Off;
  return options;
}

inline Error error_of_closed(const Callback& callback, const Options& options = closed(),
                             const EngineOptions& engine_options = no_cache()) {
  return error_of([&] {
    Engine engine(engine_options);
    build(engine, callback, kArchitecture, options);
  });
}

// A stand-in for the program `graft`: a shell script that an engine runs as its child process.
class Double {
 public:
  explicit Double(const std::string& script) {
    if (!base::write_file(path(), base::as_bytes("#!/bin/sh\n" + script + "\n"))) std::abort();
    std::filesystem::permissions(path(), std::filesystem::perms::owner_all);
  }
  std::filesystem::path path() const { return folder_.path() / "graft"; }
  EngineOptions engine() const {
    EngineOptions options = no_cache();
    options.program = path();
    return options;
  }

 private:
  base::TemporaryFolder folder_;
};

}  // namespace graft::test
