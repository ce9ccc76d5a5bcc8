// What a text that nobody trusts must not contain, since it reaches past the language: preprocessing, and assembly.
//
//     __device__ float f(float x) { asm("exit;"); return x; }   ->   the word `asm`, line 1, column 31
//
// The search is lexical and knows no comments and no strings: a scanner that skipped them would have to agree with
// every compiler on where they end. So `// gain #2` is refused too. What a compiler could read as one of the forbidden
// words always stands in the text letter by letter: line continuations and universal character names, which could hide
// it, are forbidden as well, and so are macros that paste words together. Those that NVRTC defines before any text
// begin with underscores and a capital letter (`_NV_CONCAT_EVAL(as, m)`) or use such ones (`NV_IF_TARGET`).
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

// The first one. Linear in the text's size.
std::optional<Forbidden> find_forbidden(std::string_view text);

}  // namespace graft::reflect
