// 64-bit integers have two names, and a symbol has one of them in it:
//
//     int64_t add(int64_t)       nvcc: _Z3addl (`long`)       NVRTC: _Z3addx (`long long`, as CCCL has it there)
//
// A declaration cannot say which compiler made the image. Where the image shows its functions, they say it. Where it
// does not (LTO-IR, compressed fatbins), a link with the wrong name fails for an undefined function, and the next
// spelling is tried. Both types have one size and are passed alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "graft/architecture.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"

namespace graft::building {

enum class WideIntegers {
  AsNvcc,    // int64_t is `long`; what is spelled out stays
  Long,      // all are `long`
  LongLong,  // all are `long long`
};

// C++ text with its 64-bit integer types spelled so.
std::string spell_wide_integers(std::string_view text, WideIntegers spelling);

// The callback with its declared signature in each spelling that its symbol may have, in the order in which to try
// them. One, where the declaration has no such integers, or is extern "C", or the image shows the function. Of a
// composition the spellings of its parts together. A source has several where its signature picks an overload: the
// host's std::int64_t is `long`.
std::vector<Callback> spellings_of(const Callback& callback, std::optional<Architecture> architecture,
                                   const Options& options);

// Whether another spelling may help.
bool may_be_spelled_otherwise(const Error& error);

}  // namespace graft::building
