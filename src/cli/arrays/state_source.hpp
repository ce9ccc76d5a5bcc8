// Finds the fields of the struct of a callback's state, and of other structs: asks the compiler for debug information
// about the callback. Returns the state that --state gives.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/arrays/state_text.hpp"
#include "cli/child/child.hpp"
#include "cli/commands/build_options.hpp"
#include "format/debug_types.hpp"
#include "graft/formula.hpp"
#include "graft/image.hpp"

namespace graft::cli {

// Returns the fields of the state of the callback in `request`, or why they cannot be read. `image` is the kernel that
// was built from the request. A compiled callback has no text, so that its state can only be of a type of CUDA's
// (float3). `make` makes the object with the debug information (compile/state_object.hpp). Throws Error, for example
// if a tool is missing.
format::Outcome<format::Field> fields_of_state(
    const BuildRequest& request, const Image& image,
    const std::function<base::Bytes(const BuildRequest&)>& make = state_object_in_child);

// Returns the members of a struct or vector type that the callback in `request` names, or why they cannot be read. A
// compiled callback and a job have no text, so that only CUDA's types are known. Throws Error, also CompileFailed if
// the type is not known.
format::Outcome<format::Field> fields_of_type(
    const BuildRequest& request, const Image& image, const std::string& type,
    const std::function<base::Bytes(const BuildRequest&)>& make = state_object_in_child);

// Returns the struct that has these variables of a formula as its members.
format::Field fields_of_variables(const std::vector<Variable>& members);

// Returns the bytes of the state that the text of --state gives for the image's callback: none if it has no state and
// the text is empty. Throws Error as parse_state does (state_text.hpp), and TypeMismatch if one of the two is missing.
base::Bytes state_of(const Image& image, const std::string& text, const ReadFields& fields);
// The same, with the fields of fields_of_state(), or with the numbers of the request (formula_numbers.hpp).
base::Bytes state_of(const BuildRequest& request, const Image& image, const std::string& text);

}  // namespace graft::cli
