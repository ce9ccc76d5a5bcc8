// Finds thread words (reflect/callback/thread_words.hpp) in the PTX of a callback binary: %tid, bar.sync, shfl.sync,
// .shared.
//
// PTX often has kernels and helpers beside the callback's function, so only the function's own body counts, and the
// bodies of the functions that it calls. graft cannot read LTO-IR, NVVM IR and compressed PTX. In machine code a
// compiler may use lane numbers and votes for an ordinary atomicAdd, so machine code is not searched either.
#pragma once

#include <string>
#include <vector>

#include "graft/callback.hpp"
#include "reflect/callback/thread_words.hpp"

namespace graft::link {

// `entry` is the function's name, or empty if only the declared signature names it. Returns nothing for a callback
// without readable PTX, and for damaged bytes or declarations, which a build reports. Lines count from the beginning of
// the PTX.
std::vector<reflect::ThreadWord> thread_words_in_ptx(const Callback& callback, const std::string& entry);

}  // namespace graft::link
