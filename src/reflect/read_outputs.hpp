// Finds outputs that a callback reads before it writes them.
//
//     __device__ void step(float& x, float v) { x += v; }   ->   x
//
// A `T&` parameter is an output, which is zero on entry. Such a callback compiles and computes something, but not what
// its author meant: an array that is updated in place is a graft::InOut parameter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reflect/text.hpp"

namespace graft::reflect {

// Returns the names of the callback's `T&` parameters whose first use in the body is a compound assignment (`x += v`),
// an increment or a decrement. `entry` is the name of a function of the text, or empty if the text is a lambda. The
// search is lexical: it knows no macros and no control flow.
std::vector<std::string> outputs_read_first(const Text& text, std::string_view entry);

}  // namespace graft::reflect
