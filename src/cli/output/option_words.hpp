// Rewrites messages of the library for the command line.
//
// The library's messages and remedies name members of its C++ interface: "Name the callback in Options::entry." A user
// of the command line has no such member, but an option: "Name the callback with --entry."
#pragma once

#include <string>

#include "graft/error.hpp"

namespace graft::cli {

// Returns the text with options of the command line in place of C++ members. A member without an option stays.
std::string in_option_words(std::string text);

// Returns the error with such a message and such a remedy.
Error in_option_words(const Error& error);

}  // namespace graft::cli
