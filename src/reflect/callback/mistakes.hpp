// Finds mistakes in callbacks that compile: outputs that a callback reads before it writes them, and __constant__
// variables without a value. The searches are lexical: they know no macros and no control flow.
//
//     __device__ void step(float& x, float v) { x += v; }   ->   x
//     __constant__ float weights[8];                        ->   weights
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reflect/text/text.hpp"

namespace graft::reflect {

// Returns the names of the callback's `T&` parameters whose first use in the body is a compound assignment (`x += v`),
// an increment or a decrement. Such a parameter is an output, which is zero on entry; an array that is updated in place
// is a graft::InOut parameter. `entry` is the name of a function of the text, or empty if the text is a lambda.
std::vector<std::string> outputs_read_first(const Text& text, std::string_view entry);

// Returns the names of the __constant__ variables that have no value in the text, in the text's order. Programs set
// such a variable with cudaMemcpyToSymbol. graft's kernel has a variable of its own, which that does not reach. A
// further name of a declaration may be missing.
std::vector<std::string> unset_constants(const Text& text);

}  // namespace graft::reflect
