// One job of `graft warm`: a child process builds one kernel into the cache.
//
// The child builds the kernel as any program does, through an Engine that uses the cache. So the cache entry has
// exactly the key for which Transform::create searches.
#pragma once

#include "cli/child/child_message.hpp"
#include "cli/child/worker.hpp"
#include "cli/commands/build_options.hpp"

namespace graft::cli {

// The hidden command that makes this program serve jobs of `graft warm`.
inline constexpr const char* kWarmCommand = "__warm";

// Sends one job to a worker that runs kWarmCommand. In the result, `kept` or `error` is set.
ChildMessage warm_in_worker(Worker& worker, const BuildRequest& request);

// Runs in the child: serves jobs until the parent closes the connection.
void serve_warm_jobs();

}  // namespace graft::cli
