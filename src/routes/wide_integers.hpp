// 64-bit integers have two names in C++, and a mangled symbol contains one of them:
//
//     int64_t add(int64_t)       nvcc: _Z3addl (`long`)       NVRTC: _Z3addx (`long long`, as CCCL has it there)
//
// A declared signature does not say which compiler made the callback binary. If the binary shows its functions, their
// symbols say it. If not (LTO-IR, compressed fatbins), a link with the wrong spelling fails with an undefined function,
// and the next spelling is tried. Both types have the same size and are passed in the same way.
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
  AsNvcc,    // int64_t becomes `long`; `long` and `long long` stay
  Long,      // all are `long`
  LongLong,  // all are `long long`
};

// C++ text with its 64-bit integer types in that spelling.
std::string spell_wide_integers(std::string_view text, WideIntegers spelling);

// The callback with its declared signature in each spelling that its symbol may have, in the order in which to try
// them. Only one if the declaration has no such integers, is extern "C", or the binary shows the function. For a
// composition, the combinations of its parts' spellings. A source has several if its signature picks an overload,
// because the host's std::int64_t is `long`.
std::vector<Callback> spellings_of(const Callback& callback, std::optional<Architecture> architecture,
                                   const Options& options);

// Whether another spelling may help after this error.
bool may_be_spelled_otherwise(const Error& error);

}  // namespace graft::routes
