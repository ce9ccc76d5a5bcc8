// Compares the signature of a callback that was made for given types with these types.
#pragma once

#include <string>

#include "graft/generic.hpp"
#include "graft/signature.hpp"

namespace graft {

// Throws Error(SignatureMismatch), which names both, if the callback has other inputs, outputs or another state. Types
// whose layout is not known, and outputs and a state that were not given, are not compared. `callback` is its name.
void check_types(const Signature& signature, const InstanceTypes& types, const std::string& callback);

}  // namespace graft
