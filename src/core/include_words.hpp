// Checks quickly whether a source text could include other files. Only if it could does the kernel depend on the
// process's working folder, in which the compiler looks for a relative #include. Each Callback computes and stores the
// result once, when it is made, because every Transform::create reads the result. The stricter check stands_alone
// (reflect/text/include_scan.hpp) begins with can_include.
#pragma once

#include <string_view>

namespace graft {

// Returns true if the text could include, import or embed a file. The result may be wrongly true, but never wrongly
// false.
bool can_include(std::string_view text);

}  // namespace graft
