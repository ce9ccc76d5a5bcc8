// One kernel put into the cache, in a child, which does it as any program does: by building it with an engine whose
// cache it is. So the kernel lies under the key that Transform::create asks for.
#pragma once

#include "cli/build_request.hpp"
#include "cli/child_message.hpp"
#include "cli/worker.hpp"

namespace graft::cli {

// The words that make this program do such jobs.
inline constexpr const char* kWarmCommand = "__warm";

// Through a worker of kWarmCommand: the result has `kept` or `error`.
ChildMessage warm_in_worker(Worker& worker, const BuildRequest& request);

// The child's half.
void serve_warm_jobs();

}  // namespace graft::cli
