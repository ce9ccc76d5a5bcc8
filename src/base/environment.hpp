// Reads environment variables.
#pragma once

#include <string>

namespace graft::base {

// Returns the variable's value. Returns an empty string when the variable is unset, and always in a set-uid program,
// whose environment another user controls. Do not call this function while another thread changes the environment, for
// example by setenv, because that is a data race. Read the value once and store it, so that later changes of the
// environment do no harm.
std::string environment(const char* name);

}  // namespace graft::base
