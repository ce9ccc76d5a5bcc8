// Recognises texts that were given as a callback's source and define nothing: the path of a file, and a formula without
// a function around it. The compilers' messages about them ("this declaration has no storage class") do not help.
#pragma once

#include <cstdint>
#include <string>

#include "reflect/text/text.hpp"

namespace graft::reflect {

enum class TextKind : std::uint8_t {
  Code,     // anything else, also text that no compiler takes
  Path,     // "kernels/relu.cu"
  Formula,  // "x > 0 ? x : 0", "return 2 * x;"
};

// The text may contain names of macros that define functions; whoever knows of such macros must not ask.
TextKind kind_of_text(const Text& text);

// Returns a lambda around a formula: "[](float x, float y) { return x + y; }". Its parameters are the names that the
// formula does not call.
std::string lambda_of(const Text& formula);

}  // namespace graft::reflect
