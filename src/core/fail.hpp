// How the library's own code throws: what was wrong, and what to do about it.
#pragma once

#include <string>
#include <vector>

#include "graft/error.hpp"

namespace graft {

[[noreturn, gnu::cold]] void fail(ErrorCode code, std::string message, std::string remedy, std::string log = {},
                                  std::vector<ToolVersion> versions = {});

// Of what the caller asked for: ErrorCode::InvalidArgument.
[[noreturn, gnu::cold]] void refuse(std::string message, std::string remedy);

}  // namespace graft
