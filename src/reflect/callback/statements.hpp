// Finds the functions and variables at namespace scope by walking through the declarations token by token.
//
// The search has no C++ grammar. It skips everything between a pair of brackets, such as a function body, and it reads
// from the words in front of a parameter list what is declared. If these words are not enough to tell, for example
// because one of them is an unknown macro, the search sets SourceScan::uncertain.
#pragma once

#include "reflect/callback/scan.hpp"
#include "reflect/text/keywords.hpp"
#include "reflect/text/lexer.hpp"

namespace graft::reflect {

// Returns the macros that the text defines. Sets `uncertain` if a macro may open or close a scope.
Macros find_macros(const Code& code, bool& uncertain);

// Appends the statements, and the functions and variables that they declare, to `found`.
void find_declarations(const Code& code, const Macros& macros, SourceScan& found);

}  // namespace graft::reflect
