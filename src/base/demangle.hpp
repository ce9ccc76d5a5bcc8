// Turns mangled symbols into the names that their author wrote.
#pragma once

#include <string>
#include <string_view>

namespace graft::base {

// "f(float)" for "_Z1ff". Empty for a symbol that is not mangled, or whose demangled text could become unreasonably
// long: symbols of foreign binaries are hostile input.
std::string demangled(std::string_view symbol);

// The demangled name, or the symbol itself where demangled() is empty.
std::string readable(std::string_view symbol);

}  // namespace graft::base
