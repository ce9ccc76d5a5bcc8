// What the C interface has in place of the C++ names in the families' messages (Family::c_words). A header of its own,
// because src/c, which includes graft.h, cannot include registry.hpp: contract.h has the same names.
#pragma once

#include <string>

namespace graft::families {

// Replaces the C++ names of all families in a message.
std::string with_c_words(std::string text);

}  // namespace graft::families
