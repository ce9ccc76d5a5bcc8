// Splits the log of g++ or clang++ into messages, as compile_log.hpp does for NVRTC:
//
//     callback.cu: In function 'float relu(float)':
//     callback.cu:3:10: error: 'foo' was not declared in this scope      <- the user's
//         3 |   return foo;
//     graft/adapter.h:391:12: error: ...                                 <- graft's
#pragma once

#include <string_view>
#include <vector>

#include "compile/compile_log.hpp"

namespace graft::compile {

// The messages in order. A message's text has the lines that lead to it ("In file included from ...") in front, and its
// source lines behind. A note belongs to the message that it explains.
std::vector<CompileMessage> parse_host_log(std::string_view log);

}  // namespace graft::compile
