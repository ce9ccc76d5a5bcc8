// Searches an untrusted text for what reaches outside the C++ language: preprocessing and assembly.
//
//     __device__ float f(float x) { asm("exit;"); return x; }   ->   the word `asm`, line 1, column 31
//
// The search does not skip comments and strings, because it would have to agree with every compiler on where they end;
// so it also refuses `// gain #2`. A forbidden word cannot be hidden: line continuations and universal character names
// are forbidden as well, and so are macros that paste words together. The macros that NVRTC predefines have names that
// begin with underscores and a capital letter (`_NV_CONCAT_EVAL(as, m)`) or, if they use such macros, with `NV_`
// (`NV_IF_TARGET`); all names of these two kinds are forbidden.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace graft::reflect {

struct Forbidden {
  std::string what;  // "`#`", "the word `asm`"
  int line = 1;      // both count from 1; the column in bytes
  int column = 1;
};

// The first forbidden place in the text, or nothing. Linear in the text's size.
std::optional<Forbidden> find_forbidden(std::string_view text);

}  // namespace graft::reflect
