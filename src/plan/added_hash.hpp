// One hash, fixed when graft was built, of all that graft adds to any kernel: blocks, policy fragments and their table,
// adapter, device.h, embedded headers, and the code that writes programs and flags. Two builds of graft that make the
// same kernels of the same request may share a cache; this is how they know. src/CMakeLists.txt says what goes in.
#pragma once

#include <string_view>

namespace graft::plan {

std::string_view added_hash();

}  // namespace graft::plan
