// The cache that the `graft cache` and `graft warm` commands work on: the one that a program in the same environment
// uses.
#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace graft::cli {

// The cache of GRAFT_CACHE_DIR, GRAFT_CACHE_PATH and GRAFT_CACHE_MAX_BYTES. Of GRAFT_CACHE only the values that forbid
// changes have an effect: a user may manage a cache that programs are told not to use. `changes`: the command needs to
// change the folder. Throws Error: FileUnreadable if the environment names no folder, InvalidArgument if `changes` is
// set and GRAFT_CACHE forbids changes.
store::Settings cache_place(bool changes = false);

// Prints each problem on a line of standard error. If there are any, ends the command with the exit code of a failure.
void fail_if_any(const std::vector<std::string>& problems);

}  // namespace graft::cli
