// Rejects PTX with undefined functions. graft hands this PTX out unlinked, so no linker would find them.
#pragma once

#include <string>

#include "base/bytes.hpp"

namespace graft::link {

// Throws Error(LinkFailed), which names the function, if the PTX declares a function without defining it. The driver's
// own functions (vprintf, malloc, ...) count as defined.
void check_defined(const base::Bytes& ptx, const std::string& title);

}  // namespace graft::link
