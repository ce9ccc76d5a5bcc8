// Reads environment variables. graft reads each variable once, in the code that takes over its setting.
#pragma once

#include <string>

namespace graft::base {

// Returns the variable's value. Returns an empty string when the variable is unset, and always in a set-uid program,
// whose environment another user controls. Do not call this while another thread changes the environment. Read the
// value once and keep it.
std::string environment(const char* name);

}  // namespace graft::base
