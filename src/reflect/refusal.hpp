// Why a parameter is refused, in words: the numbers are those of graft_adapter::Refusal in building_blocks/adapter.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/error.hpp"

namespace graft::reflect {

// `types` are the result's spelling and each parameter's; `position` is an index into them.
Error refusal_error(unsigned refusal, unsigned position, const std::vector<std::string>& types,
                    std::string_view callback);

}  // namespace graft::reflect
