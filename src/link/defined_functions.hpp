// Rejects PTX with undefined functions. graft hands out the PTX that it checks here without linking it, so no linker
// would find them.
#pragma once

#include <string>

#include "base/bytes.hpp"

namespace graft::link {

// Throws Error(LinkFailed) if the PTX declares a function without defining it, and names the function. The driver's own
// functions (vprintf, malloc, ...) count as defined.
void check_defined(const base::Bytes& ptx, const std::string& title);

}  // namespace graft::link
