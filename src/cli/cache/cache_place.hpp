// The cache that the `graft cache` and `graft warm` commands work on: the cache that a program in the same environment
// uses.
#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace graft::cli {

// Returns the cache that GRAFT_CACHE_DIR, GRAFT_CACHE_PATH and GRAFT_CACHE_MAX_BYTES describe. Of the values of
// GRAFT_CACHE, only read-only and forbid-compiling have an effect. The values off and memory have none, because a user
// may manage a cache that programs do not use. Pass `changes` = true if the command needs to change the folder. Throws
// Error: FileUnreadable if the environment names no folder, InvalidArgument if `changes` is set and GRAFT_CACHE forbids
// changes.
store::Settings cache_place(bool changes = false);

// Prints each problem on a line of standard error. If there is at least one problem, ends the command with the exit
// code of a failure.
void fail_if_any(const std::vector<std::string>& problems);

}  // namespace graft::cli
