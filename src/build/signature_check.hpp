// Whether the signature found in the source is the declared one.
#pragma once

#include <string_view>
#include <vector>

#include "graft/error.hpp"
#include "graft/options.hpp"
#include "reflect/probe.hpp"

namespace graft::building {

// By type and layout, as the callback's own compiler sees both. Throws Error(SignatureMismatch).
void check_declared(const reflect::Probe& found, const reflect::Probe& declared, std::string_view title,
                    const std::vector<ToolVersion>& versions);

// The signature of the kernel, whose state may be baked. Throws Error: TypeMismatch for baked bytes that are not as
// many as the state's, InvalidArgument where there is no state.
Signature bake_state(const Signature& signature, const Options& options, std::string_view title);

}  // namespace graft::building
