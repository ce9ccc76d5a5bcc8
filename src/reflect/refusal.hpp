// Makes the error for a signature that the adapter refuses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract.h"
#include "graft/error.hpp"

namespace graft::reflect {

// Returns the error. `types` contains the spelling of the result's type, then that of each parameter's type, and
// `position` is an index into `types`. For refusals of a composition, `position` is the index of the refused callback
// in the composition. Throws std::out_of_range for kAccepted and for numbers that are no refusals.
Error refusal_error(graft_adapter::Refusal refusal, unsigned position, const std::vector<std::string>& types,
                    std::string_view callback);

}  // namespace graft::reflect
