// The process's environment, read where a setting is taken over and nowhere else.
#pragma once

#include <string>

namespace graft::base {

// Empty when unset, and in a set-uid program, whose environment belongs to somebody else. Not to be called while
// another thread changes the environment: read what you need once, and keep it.
std::string environment(const char* name);

}  // namespace graft::base
