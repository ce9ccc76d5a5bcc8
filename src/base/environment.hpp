// Environment variables. graft reads a variable once, where it takes over the setting.
#pragma once

#include <string>

namespace graft::base {

// The variable's value. Empty when it is unset, and always empty in a set-uid program, whose environment another user
// controls. Do not call this while another thread changes the environment: read the value once and keep it.
std::string environment(const char* name);

}  // namespace graft::base
