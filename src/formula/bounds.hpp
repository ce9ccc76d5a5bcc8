// The bounds of a formula. They keep the worst formula cheap: reading takes time linear in the text, the parser's
// recursion stays within a small part of a thread's stack, and the text that a compiler gets stays small. The message
// of an Error says which bound was reached. docs/formulas.md and docs/security.md name these numbers.
#pragma once

#include <cstddef>

namespace graft::formulas {

inline constexpr std::size_t kMostTokens = 4096;
inline constexpr int kMostDepth = 200;  // parentheses, calls, conditions, powers and signs inside each other
inline constexpr std::size_t kMostCalls = 256;

// The limits of a callback's signature (graft/signature.hpp).
inline constexpr std::size_t kMostInputs = 16;
inline constexpr std::size_t kMostOutputs = 8;
inline constexpr std::size_t kMostParameterBytes = 2048;

}  // namespace graft::formulas
