// The host compiler's messages, told apart as those of NVRTC are (compile_log.hpp):
//
//     callback.cu: In function 'float relu(float)':
//     callback.cu:3:10: error: 'foo' was not declared in this scope      <- the user's
//         3 |   return foo;
//     graft/adapter.h:391:12: error: ...                                 <- graft's
#pragma once

#include <string_view>
#include <vector>

#include "build/compile_log.hpp"

namespace graft::building {

// Of g++ and clang++. Each message has the lines that lead to it in front and its source lines behind; notes belong to
// the message that they explain.
std::vector<CompileMessage> parse_host_log(std::string_view log);

}  // namespace graft::building
