// Checks the macros of Options::defines. A macro becomes a line of the program (`#define NAME value`) or an argument of
// a compiler. Its name and value must not end that line or argument and begin something else, as a line end, an open
// comment or a backslash at the end would.
#pragma once

#include "graft/options.hpp"

namespace graft::compile {

// Throws Error(InvalidArgument).
void check_define(const Define& define);

}  // namespace graft::compile
