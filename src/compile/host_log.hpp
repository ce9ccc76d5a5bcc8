// Splits the log of g++ or clang++ into messages, as compile_log.hpp does for NVRTC:
//
//     callback.cu: In function 'float relu(float)':
//     callback.cu:3:10: error: 'foo' was not declared in this scope      <- about the user's source
//         3 |   return foo;
//     graft/adapter.h:391:12: error: ...                                 <- about graft's lines
#pragma once

#include <string_view>
#include <vector>

#include "compile/compile_log.hpp"

namespace graft::compile {

// Returns the messages in the order of the log. The text of a message begins with the lines that introduce it, such as
// "In file included from ...", and ends with its source lines. A note belongs to the message that the note explains.
std::vector<CompileMessage> parse_host_log(std::string_view log);

}  // namespace graft::compile
