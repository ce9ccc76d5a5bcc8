// Checks whether the signature in the source agrees with the signature that the user declared, and whether a baked
// state fits the signature.
#pragma once

#include <string_view>
#include <vector>

#include "graft/error.hpp"
#include "graft/options.hpp"
#include "reflect/probe.hpp"

namespace graft::compile {

// Compares the kinds and layouts of the types, as the compiler that compiled the callback reported them. Throws
// Error(SignatureMismatch) if they differ.
void check_declared(const reflect::Probe& found, const reflect::Probe& declared, std::string_view title,
                    const std::vector<ToolVersion>& versions);

// Returns the kernel's signature. It is the callback's signature, in which the state is marked as baked if
// Options::baked_state is set. Throws Error: TypeMismatch if the baked value does not fit the state's type,
// InvalidArgument if the callback has no state.
Signature bake_state(const Signature& signature, const Options& options, std::string_view title);

}  // namespace graft::compile
