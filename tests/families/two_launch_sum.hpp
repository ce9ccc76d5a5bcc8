// A kernel family that src does not know. It proves that the Family interface carries more than elementwise transforms:
// this family combines all elements of an array into one result with the callback `T f(T, T)`, in two launches:
//
//     first launch    `blocks` thread blocks, each combines its share     one partial result per block, in the
//     workspace second launch   one thread block combines the partial results       the result
//
// The family generates the whole kernel text, for exactly one signature and tuning. The caller's tuning sets "blocks"
// and "threads", which also fix the order in which elements are combined.
#pragma once

#include "families/family.hpp"
#include "graft/callback.hpp"

namespace graft::test {

inline constexpr const char* kTwoLaunchSum = "two_launch_sum";

// Registers the family. Only the first call in a process does anything.
void add_two_launch_sum();

// Returns the callback that this family's own create function would pass to Transform::create.
Callback sum_of(const Callback& combine, int blocks = 64, int threads = 256);

}  // namespace graft::test
