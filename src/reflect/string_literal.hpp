// Reads string literals as a compiler does: escape sequences become characters, and raw strings stay as they are.
//
//     "mov.u32 %0, %%t\x69d.x;\n"   ->   mov.u32 %0, %%tid.x; and a newline
#pragma once

#include <string>
#include <string_view>

namespace graft::reflect {

// Returns the characters of a token of kind String. Characters that are not ASCII become spaces, which no name of
// assembly contains.
std::string literal_value(std::string_view literal);

}  // namespace graft::reflect
