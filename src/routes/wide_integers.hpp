// Finds the right spelling of 64-bit integers in a declared signature. 64-bit integers have two names in C++, `long`
// and `long long`, and a mangled symbol shows which of the two the compiler used:
//
//     int64_t add(int64_t)       nvcc: _Z3addl (`long`)       NVRTC: _Z3addx (`long long`, as in CCCL's <cstdint>)
//
// size_t is `unsigned long` for both, but a binary may have an `unsigned long long` where its declaration has a size_t.
// A declared signature does not say which compiler made the callback binary. If the binary lists its functions, their
// symbols show the spelling. LTO-IR and compressed fatbins do not list their functions. A link with the wrong spelling
// then fails with an undefined function, and the next spelling is tried. The spelling affects only the symbol, because
// `long` and `long long` have the same size and are passed in the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graft/architecture.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"

namespace graft::routes {

enum class WideIntegers {
  AsNvcc,    // int64_t and ptrdiff_t become `long`, size_t `unsigned long`; `long` and `long long` stay
  Long,      // all 64-bit integers are `long`
  LongLong,  // all 64-bit integers are `long long`
};

// Returns C++ text with its 64-bit integer types in the given spelling.
std::string spell_wide_integers(std::string_view text, WideIntegers spelling);

// Returns the callback with its declared signature in each spelling that its symbol may have, in the order in which to
// try them. Returns only one spelling if the declaration has no 64-bit integers, if it is extern "C", or if the binary
// lists the function. For a composition, returns the combinations of its callbacks' spellings. A source can have
// several spellings if its declared signature picks an overload: the host's std::int64_t is `long`, while NVRTC's is
// `long long`.
std::vector<Callback> spellings_of(const Callback& callback, std::optional<Architecture> architecture,
                                   const Options& options);

// Returns whether a build that failed with this error may succeed with another spelling.
bool may_be_spelled_otherwise(const Error& error);

}  // namespace graft::routes
