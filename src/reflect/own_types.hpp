// Finds the integer types of <cstdint> that a text declares itself, because its compiler has no such header:
//
//     typedef long long int64_t;     using uintptr_t = unsigned long;
//
// On a GPU graft's int64_t is `long long`, and that of a C++ compiler is `long`, so each would refuse one of the two
// spellings as a second declaration. graft renames such a type in the text.
#pragma once

#include <string>
#include <vector>

#include "reflect/text.hpp"

namespace graft::reflect {

// Types of other sizes are not looked for, because all compilers agree on them.
std::vector<std::string> own_wide_types(const Text& text);

}  // namespace graft::reflect
