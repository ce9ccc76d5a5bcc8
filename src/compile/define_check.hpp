// Checks the macros of Options::defines. graft makes each macro a line of the program (`#define NAME value`) or an
// argument of a compiler. So the name and the value must not contain anything that ends or continues the line, such as
// a line end, an open comment or a backslash at the end.
#pragma once

#include "graft/options.hpp"

namespace graft::compile {

// Throws Error(InvalidArgument) if the name or the value is not allowed.
void check_define(const Define& define);

}  // namespace graft::compile
