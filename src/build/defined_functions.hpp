// PTX that goes out without having met a linker, which would have missed what it calls.
#pragma once

#include <string>

#include "base/bytes.hpp"

namespace graft::building {

// Throws Error(LinkFailed), which names the function, where the text declares one and does not define it. What the
// driver defines (vprintf, malloc, ...) counts as defined.
void check_defined(const base::Bytes& ptx, const std::string& title);

}  // namespace graft::building
