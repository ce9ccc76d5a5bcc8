// How the library's own code throws: what was wrong, and what to do about it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/error.hpp"

namespace graft {

[[noreturn, gnu::cold]] void fail(ErrorCode code, std::string message, std::string remedy, std::string log = {},
                                  std::vector<ToolVersion> versions = {});

// For ErrorCode::SystemFailed.
inline constexpr std::string_view kSystemRemedy =
    "Make room where temporary files go (TMPDIR names another folder), and check the memory and the limits of this "
    "process (ulimit -a).";

// Of what the caller asked for: ErrorCode::InvalidArgument.
[[noreturn, gnu::cold]] void refuse(std::string message, std::string remedy);

}  // namespace graft
