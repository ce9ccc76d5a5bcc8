// Recognises the messages of compilers, assemblers and linkers to which the operating system has refused a file, memory
// or a process:
//
//     /usr/bin/ld: final link failed: No space left on device
//     callback.cu:5:93: fatal error: error writing to /tmp/cc0UIRoy.s: No space left on device
//     cc1plus: out of memory allocating 65536 bytes after a total of 2686976 bytes
//
// The second message names the source line that g++ was compiling, although that line is correct.
#pragma once

#include <string>
#include <string_view>

#include "compile/compile_log.hpp"

namespace graft::compile {

// The first line of the log that reports a refusal by the operating system; empty if there is no such line. Ignores
// words that the source itself makes the compiler print (#error).
std::string system_refusal(std::string_view log);

// Whether the message of a host compiler reports a refusal by the operating system. The source line that the message
// names is then not at fault.
bool is_system_refusal(const CompileMessage& message);

}  // namespace graft::compile
