// Checks that the callbacks of one kernel and its options agree on floating-point options.
//
// Floating-point options belong to a kernel as a whole. If one part were compiled with contraction and another without,
// results would depend on where one part ends and the next begins. A callback can declare its own options. Then the
// parts of a composition must not contradict each other, and Options::floating_point must be the same or the default.
#pragma once

#include <string>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::plan {

// The options that take effect: fast_math overrides all others but `contraction`.
FloatingPoint effective(const FloatingPoint& fp);

// The first difference in effect, with the value in `own`: "contraction off". Empty when both mean the same.
std::string difference(const FloatingPoint& own, const FloatingPoint& other);

// The options that the parts of the callback declare, or `asked` when none declares any. Throws Error(InvalidArgument)
// when two differ; the message names both.
FloatingPoint agreed_floating_point(const Callback& callback, const FloatingPoint& asked);

}  // namespace graft::plan
