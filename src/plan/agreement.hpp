// Checks that all callbacks of one kernel, and the kernel's options, agree on floating-point options.
//
// Floating-point options apply to a kernel as a whole. If one callback of a composition were compiled with contraction
// and another without, the results would depend on where one callback ends and the next begins. A callback can declare
// the floating-point options that it needs (Callback::with_floating_point). The callbacks of a composition must then
// declare options that do not contradict each other, and Options::floating_point must either have the declared values
// or be the default.
#pragma once

#include <string>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::plan {

// Returns the options that take effect: fast_math overrides all others except `contraction`.
FloatingPoint effective(const FloatingPoint& fp);

// Returns the first option whose effect differs between `own` and `other`, with its value in `own`: "contraction off".
// Returns an empty string when the options have the same effect.
std::string difference(const FloatingPoint& own, const FloatingPoint& other);

// Returns the floating-point options that the callback, or the callbacks of a composition, declare. If no callback
// declares any, returns `asked`, the value of Options::floating_point. Throws Error(InvalidArgument) when two
// declarations differ, or when a declaration differs from an `asked` that is not the default. The message names both
// sources of the options and their values.
FloatingPoint agreed_floating_point(const Callback& callback, const FloatingPoint& asked);

}  // namespace graft::plan
