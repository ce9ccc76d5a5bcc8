// Recognises what compilers, assemblers and linkers say when the operating system refuses them a file, memory or a
// process:
//
//     /usr/bin/ld: final link failed: No space left on device
//     callback.cu:5:93: fatal error: error writing to /tmp/cc0UIRoy.s: No space left on device
//     cc1plus: out of memory allocating 65536 bytes after a total of 2686976 bytes
//
// g++ names the source line that it had reached, although the source is not to blame.
#pragma once

#include <string>
#include <string_view>

#include "compile/compile_log.hpp"

namespace graft::compile {

// The first line of the log that reports such a refusal; empty if none does. Words that the source itself makes a
// compiler print (#error) do not count.
std::string system_refusal(std::string_view log);

// Whether the message reports such a refusal, and not a mistake in the line that it names.
bool is_system_refusal(const CompileMessage& message);

}  // namespace graft::compile
