// Finds the functions and variables at namespace scope by walking through the declarations token by token.
//
// This is not a C++ grammar: bracketed parts are skipped whole, and the words in front of a parameter list decide what
// is declared. Where the words do not suffice, SourceScan::uncertain is set.
#pragma once

#include "reflect/keywords.hpp"
#include "reflect/lexer.hpp"
#include "reflect/scan.hpp"

namespace graft::reflect {

// Appends the functions and variables to `found`.
void find_declarations(const Code& code, const Macros& macros, SourceScan& found);

}  // namespace graft::reflect
