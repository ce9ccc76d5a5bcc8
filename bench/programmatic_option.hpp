// Options that ask for programmatic dependent launch, where this graft has them; asked of the type, so that the bench
// also builds beside a graft without.
#pragma once

#include <graft/options.hpp>

namespace graft::bench {

template <class Policy>
concept HasProgrammaticLaunch = requires(Policy& policy) {
  policy.programmatic_launch = true;
};

// False where there is no such option.
template <class Policy>
bool ask_programmatic_launch(Policy& policy) {
  if constexpr (HasProgrammaticLaunch<Policy>) {
    policy.programmatic_launch = true;
    return true;
  } else {
    return false;
  }
}

}  // namespace graft::bench
