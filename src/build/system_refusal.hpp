// What compilers, assemblers and linkers say when the operating system refused them a file, memory or a process:
//
//     /usr/bin/ld: final link failed: No space left on device
//     callback.cu:5:93: fatal error: error writing to /tmp/cc0UIRoy.s: No space left on device
//     cc1plus: out of memory allocating 65536 bytes after a total of 2686976 bytes
//
// g++ names the line of the source that it was at, and the source is not to blame for that.
#pragma once

#include <string>
#include <string_view>

#include "build/compile_log.hpp"

namespace graft::building {

// The first line that says so; empty when none does. What the source itself makes a compiler say (#error) is none.
std::string system_refusal(std::string_view log);

// Whether the compiler reports that, and no mistake at the line that it names.
bool is_system_refusal(const CompileMessage& message);

}  // namespace graft::building
