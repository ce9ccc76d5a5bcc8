// Numbers for the names of a formula that have no type: `graft apply -e 'f32 x => a * x + b' --state a=2,b=0.5`. They
// count as literals do, as if they were typed into the formula (graft::WeakFormula).
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "cli/commands/build_options.hpp"

namespace graft::cli {

// If the request is a formula that uses names without declaring them, moves the numbers that `state` gives for these
// names to BuildRequest::numbers, and returns the rest of the text: the values of parameters that have types. Otherwise
// returns the text. Throws Error: InvalidArgument for a name that the formula does not have, for one that is given
// twice and for a value that is no number; and what graft::formula throws.
std::string take_numbers(BuildRequest& request, const std::string& state);

// Returns the state of the formula of a request with numbers. `text` has the values of the parameters that have types.
// Throws Error(InvalidArgument), also for a number that the type that it meets does not hold.
base::Bytes state_with_numbers(const BuildRequest& request, const std::string& text);

}  // namespace graft::cli
