// What a macro of Options::defines may be. Its name and value become a word of a compiler's command line, or a line of
// the program: neither may end what it stands in, nor begin something else.
#pragma once

#include "graft/options.hpp"

namespace graft::building {

// Throws Error(InvalidArgument).
void check_define(const Define& define);

}  // namespace graft::building
