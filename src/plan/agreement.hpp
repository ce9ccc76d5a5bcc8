// What the callbacks of one kernel, and who asks for it, must agree on.
//
// Floating-point options belong to a kernel as a whole: a part compiled with contraction and a part compiled without
// would make results that depend on where one ends and the other begins. A callback can declare its own; then the parts
// of a composition must not contradict each other, and Options::floating_point must be the same or the default.
#pragma once

#include <string>

#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::plan {

// With fast_math all but `contraction` are what it makes of them.
FloatingPoint effective(const FloatingPoint& fp);

// Where the two differ, as it is said of `own`: "contraction off". Empty where they mean the same.
std::string difference(const FloatingPoint& own, const FloatingPoint& other);

// What all that declare some agree on, or what is asked for. Throws Error(InvalidArgument), which names both.
FloatingPoint agreed_floating_point(const Callback& callback, const FloatingPoint& asked);

}  // namespace graft::plan
