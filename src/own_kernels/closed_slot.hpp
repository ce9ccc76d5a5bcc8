// Keeps a callback whose author is not trusted inside its slot (the closed mode, docs/security.md). The linker joins
// all functions and variables of equal names, so the callback's text must be able to name neither another slot nor the
// variables of the kernel.
#pragma once

#include <cstddef>
#include <string_view>

#include "graft/callback.hpp"
#include "own_kernels/code_shape.hpp"

namespace graft::own_kernels {

// Refuses a text, entry or declared signature that could leave the namespace that graft puts around it, or name
// something outside of it by a linkage name: braces that do not match, braces in comments and characters, and string
// literals and graft's macros, without which there is no extern "C" and no attribute alias. Throws
// Error(InvalidArgument).
void check_closed_text(const Callback& callback);

// Refuses a compiled callback that defines another function than the slot's that other modules can call, or that refers
// to a function or variable that it does not define, or to the kernel's dynamic shared memory. `number` is that of the
// callback in the image. Throws Error(InvalidArgument).
void check_closed_symbols(std::string_view ptx, const Slot& slot, std::size_t number, const Callback& callback);

}  // namespace graft::own_kernels
