// Declares the functions through which all of graft's code throws Error. Each function takes a message, which says what
// was wrong, and a remedy, which says what to do.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graft/error.hpp"

namespace graft {

[[noreturn, gnu::cold]] void fail(ErrorCode code, std::string message, std::string remedy, std::string log = {},
                                  std::vector<ToolVersion> versions = {});

// Returns the error with another remedy.
Error with_remedy(const Error& error, std::string remedy);

// The remedy in every error with ErrorCode::SystemFailed.
inline constexpr std::string_view kSystemRemedy =
    "Free space in the folder for temporary files (TMPDIR selects another folder), and check the memory and the limits "
    "of this process (ulimit -a).";

// Throws Error(InvalidArgument). This function is for arguments and options that graft does not support.
[[noreturn, gnu::cold]] void refuse(std::string message, std::string remedy);

// Returns `text` as a string. Throws Error(InvalidArgument) if `text` is a null pointer, which an application may have
// got from std::getenv. `what` names the argument in the error message.
std::string checked_text(const char* text, std::string_view what);

}  // namespace graft
