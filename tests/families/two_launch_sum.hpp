// A kernel family that src does not know. It proves that the Family interface supports more than elementwise
// transforms. The family combines all elements of an array into one result with the callback `T f(T, T)`, in two
// launches:
//
//     first launch     each of `blocks` thread blocks writes one partial result to the workspace
//     second launch    one thread block combines the partial results into the result
//
// The family generates the whole kernel text for exactly one signature and tuning. The caller's tuning sets "blocks"
// and "threads", which also fix the order in which elements are combined.
#pragma once

#include "families/family.hpp"
#include "graft/callback.hpp"

namespace graft::test {

inline constexpr const char* kTwoLaunchSum = "two_launch_sum";

// Registers the family. Only the first call in a process does anything.
void add_two_launch_sum();

// Wraps `combine` as the callback of this family, for use with Transform::create.
Callback sum_of(const Callback& combine, int blocks = 64, int threads = 256);

}  // namespace graft::test
