// Checks the signature found in the source against the declared one and against a baked state.
#pragma once

#include <string_view>
#include <vector>

#include "graft/error.hpp"
#include "graft/options.hpp"
#include "reflect/probe.hpp"

namespace graft::compile {

// Compares kinds and layouts as the callback's own compiler sees them. Throws Error(SignatureMismatch).
void check_declared(const reflect::Probe& found, const reflect::Probe& declared, std::string_view title,
                    const std::vector<ToolVersion>& versions);

// The kernel's signature: the callback's, with its state baked if Options::baked_state is set. Throws Error:
// TypeMismatch if the baked value does not fit the state, InvalidArgument if the callback has no state.
Signature bake_state(const Signature& signature, const Options& options, std::string_view title);

}  // namespace graft::compile
