// Finds the fields of the struct of a callback's state: asks the compiler for debug information about the callback.
#pragma once

#include <functional>

#include "cli/child/child.hpp"
#include "cli/commands/build_options.hpp"
#include "format/debug_types.hpp"
#include "graft/image.hpp"

namespace graft::cli {

// Returns the fields of the state of the callback in `request`, or why they cannot be read. `image` is the kernel that
// was built from the request. A compiled callback has no text, so that its state can only be of a type of CUDA's
// (float3). `make` makes the object with the debug information (compile/state_object.hpp). Throws Error, for example
// if a tool is missing.
format::Outcome<format::Field> fields_of_state(
    const BuildRequest& request, const Image& image,
    const std::function<base::Bytes(const BuildRequest&)>& make = state_object_in_child);

}  // namespace graft::cli
