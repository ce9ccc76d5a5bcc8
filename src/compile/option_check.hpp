// Checks the caller's Options before any tool runs, so that a wrong value is reported with the name of the option and
// not with the message of a compiler.
//
// Each macro of Options::defines becomes a line of the program (`#define NAME value`). So the name and the value must
// not contain anything that ends or continues the line, such as a line end, an open comment or a backslash at the end.
#pragma once

#include "graft/options.hpp"

namespace graft::compile {

// Throws Error(InvalidArgument) for values that no tool accepts.
void check_options(const Options& options);

}  // namespace graft::compile
