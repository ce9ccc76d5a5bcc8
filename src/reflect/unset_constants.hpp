// Finds the __constant__ variables of a text that have no value in it: `__constant__ float weights[8];`. Programs set
// such a variable with cudaMemcpyToSymbol. graft's kernel has a variable of its own, which that does not reach.
#pragma once

#include <string>
#include <vector>

#include "reflect/text.hpp"

namespace graft::reflect {

// Returns the names, in the order of the text. A name in a macro, or a further name of a declaration, may
// be missing.
std::vector<std::string> unset_constants(const Text& text);

}  // namespace graft::reflect
