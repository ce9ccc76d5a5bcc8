// Turns mangled symbols back into the names in the source code.
#pragma once

#include <string>
#include <string_view>

namespace graft::base {

// Returns "f(float)" for "_Z1ff". Returns an empty string for a symbol that is not mangled, and for a symbol whose
// demangled text could become unreasonably long: the symbols of a foreign binary are untrusted input.
std::string demangled(std::string_view symbol);

// Removes the scopes that NVRTC and graft put around a user's functions and types: the one of a static function, whose
// name contains the name of graft's program, and the namespace of a member of a composition.
std::string without_own_scopes(std::string text);

// Returns the demangled name without these scopes, or the symbol itself if demangled() returns an empty string.
std::string readable(std::string_view symbol);

}  // namespace graft::base
