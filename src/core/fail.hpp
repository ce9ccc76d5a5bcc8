// The functions through which all of graft's code throws Error: a message says what was wrong, a remedy what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/error.hpp"

namespace graft {

[[noreturn, gnu::cold]] void fail(ErrorCode code, std::string message, std::string remedy, std::string log = {},
                                  std::vector<ToolVersion> versions = {});

// The remedy for ErrorCode::SystemFailed.
inline constexpr std::string_view kSystemRemedy =
    "Free space in the folder for temporary files (TMPDIR selects another folder), and check the memory and the limits "
    "of this process (ulimit -a).";

// Throws InvalidArgument, for an argument or option that graft cannot serve.
[[noreturn, gnu::cold]] void refuse(std::string message, std::string remedy);

// `text` as a string. Refuses a null pointer, which std::getenv returns for a variable that is not set; `what` names
// the argument in the message.
std::string checked_text(const char* text, std::string_view what);

}  // namespace graft
