// Checks that a callback fits a slot. The linker checks names only, and links a wrong type to a wrong result.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/error.hpp"
#include "graft/options.hpp"
#include "own_kernels/code_shape.hpp"
#include "own_kernels/slot_program.hpp"

namespace graft::own_kernels {

// Whether a slot passes the callback's state by this type: `const S&` of a class, or `const void*`.
bool passes_state(std::string_view type);

// Throws Error: SignatureMismatch, UnsupportedParameter. `title` is the callback's ("huber in metric.cu"), and `code`
// the name of the kernel's code.
void check_fit(const Slot& slot, const CallbackType& type, const std::string& title, const std::string& code);

// Explains why a callback for the slot does not compile, if the reason is that its text does not define a type that the
// slot passes by value: throws Error(UnsupportedParameter), which names the header that has the type. Else returns.
void check_types_are_known(const Slot& slot, const Error& error, const Callback& callback, const std::string& code,
                           const std::vector<Header>& headers);

// Checks that a callback that was compiled for the slot `made_for` fits another slot, also of another code: both have
// one name and one type. Throws Error(SignatureMismatch). `name` is the pack's.
void check_same(const Slot& slot, const Slot& made_for, const std::string& title, const std::string& name,
                const std::string& code);

}  // namespace graft::own_kernels
