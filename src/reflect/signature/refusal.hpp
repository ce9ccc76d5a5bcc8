// Makes the error for a signature that the adapter refuses. A message names the callback, what is refused, and the
// reason:
//
//     relu in a.cu: its parameter 2 (float*) is a pointer or an array, but graft ...
//
// The refusals of contract.h, which callbacks of every family of kernels can have, get their words here. A family has
// the words for its own refusals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract.h"
#include "graft/error.hpp"

namespace graft::reflect {

struct RefusalWords {
  std::string_view subject;  // "the load callback"
  std::string_view reason;   // "returns another type than the op's first input"
  std::string_view remedy;
};

Error refusal_error(const RefusalWords& words, std::string_view callback);

// Returns the error for a refusal of contract.h. `types` contains the spelling of the result's type, then that of each
// parameter's type, and `position` is an index into `types`. For refusals of a composition, `position` is the index of
// the refused callback in the composition. `takers_of_cufft` names, for the remedy of kCufft, the public types that
// take load and store callbacks of cuFFT's signature. Throws std::out_of_range for kAccepted and for numbers that
// contract.h does not define.
Error refusal_error(graft_adapter::Refusal refusal, unsigned position, const std::vector<std::string>& types,
                    std::string_view callback, std::string_view takers_of_cufft);

}  // namespace graft::reflect
