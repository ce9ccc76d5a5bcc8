// Refuses callbacks that use thread words (reflect/callback/thread_words.hpp): barriers, thread and block indices,
// shared memory, and exchanges within a warp. Options::allow_thread_words allows them.
//
// The check runs before the cache on disk is searched, because the key on disk does not contain the option. The check
// searches the callback's own text and the PTX of callback binaries. It searches no headers and reads no macros, and it
// cannot read LTO-IR, NVVM IR and machine code.
//
// A pack was checked when it was made. Whoever made it with the option has decided for its users, so a pack is not
// checked again; reports of its kernels note the words.
#pragma once

#include "core/step.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "graft/signature.hpp"

namespace graft::engine {

// Throws Error(InvalidArgument) if the callback, or a part of a composition, certainly uses a thread word and
// Options::allow_thread_words is not set. Words that are not certain, for example in a branch of an #if, are not
// refused; the report notes them.
void check_thread_words(const Callback& callback, const Options& options);

// The same for a request. An author of own kernels may have allowed thread words in a slot
// (KernelCode::with_thread_words).
void check_thread_words(const Step& step, const Options& options);

// The same for a callback whose kernel is made. Call it for kernels of every origin before they are used. Only a load
// or store callback that accesses its array itself, as cuFFT's do, gets the thread block's shared memory and may say
// `threadIdx` and `blockDim`. Load and store callbacks of some families may also have the signature of a callback of
// graft's (Family::stages_need_cufft_signature). Which they have shows in the kernel's signature only: the array of one
// that accesses it itself is opaque.
void check_thread_words(const Callback& callback, const Options& options, const Signature& signature);

}  // namespace graft::engine
