// Searches an untrusted text (the source of a callback in the closed mode, see docs/security.md) for preprocessing,
// inline assembly, and words such as __has_include, which tell whether a file exists and are allowed by NVRTC even
// outside of directives. They are forbidden in such a text, because they reach outside the C++ language: an #include,
// for example, reads a file.
//
//     __device__ float f(float x) { asm("exit;"); return x; }   ->   the word `asm`, line 1, column 31
//
// The search looks inside comments and strings too, because a compiler may disagree with the search on where a comment
// or a string ends. As a consequence, it refuses the harmless comment `// gain #2`. A forbidden word cannot be hidden,
// because line continuations, universal character names and macros that paste words together are forbidden as well.
// NVRTC predefines macros that paste words: `_NV_CONCAT_EVAL(as, m)` makes the word `asm`. The names of such macros
// begin with underscores and a capital letter. Some other macros, such as `NV_IF_TARGET`, use these macros, and their
// names begin with `NV_`. All names that begin in one of these two ways are forbidden.
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

// Returns the first forbidden construct in the text, or nothing if there is none. The search takes time linear in the
// text's size.
std::optional<Forbidden> find_forbidden(std::string_view text);

}  // namespace graft::reflect
