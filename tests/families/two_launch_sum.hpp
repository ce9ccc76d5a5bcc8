// A family that nothing in src knows, as unlike elementwise transforms as can be: it combines all elements of one array
// into one result by `T f(T, T)`.
//
//     first launch    so many blocks, each of which combines its share     one partial result a block, in workspace
//     second launch   one block, which combines those                      the result
//
// Its text is its own, written for exactly one description; blocks and threads come from what is asked ("blocks",
// "threads"). The order in which elements are combined is fixed by these numbers.
#pragma once

#include "families/family.hpp"
#include "graft/callback.hpp"

namespace graft::test {

inline constexpr const char* kTwoLaunchSum = "two_launch_sum";

// Once in a process.
void add_two_launch_sum();

// As the family's own create would hand it to Transform::create.
Callback sum_of(const Callback& combine, int blocks = 64, int threads = 256);

}  // namespace graft::test
