// What the texts of callbacks tell of the bits that other GPUs and the host compute: the functions that they call.
#pragma once

#include <string>
#include <string_view>

#include <graft/callback.hpp>

namespace graft::families::reduce {

// In place of a function's name: not all that the callbacks call is in their texts, because they are compiled, or
// include headers of the user.
inline constexpr std::string_view kUnknownFunctions = "*";

// Returns the first function in the callbacks' texts whose results differ in the last bits between GPUs and hosts
// ("expf"), kUnknownFunctions if none is seen and not all is seen, and otherwise an empty text.
std::string inexact_function_of(const Callback& callback);

// Adds what another callback calls: a function's name counts more than kUnknownFunctions, and the first of two stays.
void add_inexact_function(std::string& found, std::string another);

}  // namespace graft::families::reduce
