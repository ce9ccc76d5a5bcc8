// Knows the names of the functions that CUDA declares at global scope. A function of the user's with such a name is one
// more overload.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace graft::reflect {

// The names, sorted.
std::span<const std::string> functions_of_cuda();

// Whether CUDA declares a function of this name, for example for several types, such as `max` and `pow`. The name alone
// then does not say which function is meant.
bool is_overloaded_by_cuda(std::string_view word);

// Whether CUDA, or on the host route the C library, declares a function of this name.
bool is_overloaded(std::string_view word);

}  // namespace graft::reflect
