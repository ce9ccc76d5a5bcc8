// Finds the functions and variables at namespace scope by walking through the declarations token by token.
//
// The search is not based on a C++ grammar. It skips bracketed parts as a whole, and the words in front of a parameter
// list show what is declared. SourceScan::uncertain is set if the words are not enough to tell.
#pragma once

#include "reflect/keywords.hpp"
#include "reflect/lexer.hpp"
#include "reflect/scan.hpp"

namespace graft::reflect {

// Appends the functions and variables to `found`.
void find_declarations(const Code& code, const Macros& macros, SourceScan& found);

}  // namespace graft::reflect
