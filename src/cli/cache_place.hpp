// The cache that a command looks after: the same that a program of this environment would use.
#pragma once

#include <string>
#include <vector>

#include "store/store.hpp"

namespace graft::cli {

// By GRAFT_CACHE_DIR, GRAFT_CACHE_PATH and GRAFT_CACHE_MAX_BYTES. GRAFT_CACHE counts as far as it forbids changes:
// whoever keeps programs from using a cache may still look after it. `changes`: the command is of no use without the
// right to change the folder. Throws Error: FileUnreadable where the environment names no folder at all,
// InvalidArgument where changes are forbidden.
store::Settings cache_place(bool changes = false);

// To standard error, each a line; then ends the command as one that failed, if there is any.
void fail_if_any(const std::vector<std::string>& problems);

}  // namespace graft::cli
