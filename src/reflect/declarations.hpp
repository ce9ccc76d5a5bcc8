// The functions and variables at namespace scope, found by walking through declarations token by token.
//
// No grammar of C++ is complete here: brackets are skipped whole, and what stands in front of a parameter list is told
// from its words. Where that is not enough, `uncertain` says so.
#pragma once

#include "reflect/keywords.hpp"
#include "reflect/lexer.hpp"
#include "reflect/scan.hpp"

namespace graft::reflect {

// Adds them to `found`.
void find_declarations(const Code& code, const Macros& macros, SourceScan& found);

}  // namespace graft::reflect
