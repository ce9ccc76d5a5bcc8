// Makes the error for a refused parameter. The refusal numbers are those of graft_adapter::Refusal in
// building_blocks/adapter.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/error.hpp"

namespace graft::reflect {

// Returns the error. `types` contains the spelling of the result, then that of each parameter, and `position` is an
// index into `types`. For refusals of a composition, `position` is the index of the part.
Error refusal_error(unsigned refusal, unsigned position, const std::vector<std::string>& types,
                    std::string_view callback);

}  // namespace graft::reflect
