// Searches an untrusted text for constructs that reach outside the C++ language, which are preprocessing and assembly.
// They are forbidden in such a text.
//
//     __device__ float f(float x) { asm("exit;"); return x; }   ->   the word `asm`, line 1, column 31
//
// The search looks inside comments and strings too, because skipping them correctly would require agreement with every
// compiler on where they end. So it also refuses `// gain #2`. A forbidden word cannot be hidden: line continuations,
// universal character names, and macros that paste words together are forbidden as well. The macros that NVRTC
// predefines have names that begin with underscores and a capital letter (`_NV_CONCAT_EVAL(as, m)`) or, if they use
// other macros with such names, with `NV_` (`NV_IF_TARGET`). All names that begin in one of these two ways are
// forbidden.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace graft::reflect {

struct Forbidden {
  std::string what;  // the forbidden construct, as messages show it: "`#`", "the word `asm`"
  int line = 1;      // line and column count from 1; the column counts bytes
  int column = 1;
};

// Returns the first forbidden construct in the text, or nothing if there is none. Linear in the text's size.
std::optional<Forbidden> find_forbidden(std::string_view text);

}  // namespace graft::reflect
