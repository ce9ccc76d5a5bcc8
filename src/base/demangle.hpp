// C++ names of symbols.
#pragma once

#include <string>
#include <string_view>

namespace graft::base {

// "f(float)" of "_Z1ff". Nothing for a symbol that is not mangled, or that would demangle to an unreasonable length:
// symbols of foreign binaries are hostile input.
std::string demangled(std::string_view symbol);

// The same, or the symbol itself.
std::string readable(std::string_view symbol);

}  // namespace graft::base
