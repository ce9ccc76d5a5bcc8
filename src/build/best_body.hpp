// Which body of the block a callback gets: the vector body, which unrolls it over a thread's elements, or the rolled
// one.
//
// A heavy callback in the vector body can spill, and multiply the time of the link by the number of elements (4 and 13
// s seen), and a link cannot be cancelled. So what looks heavy is made rolled first, and goes on to vector only when
// that was quick; and what spills is made rolled too, which is taken when it does not.
#pragma once

#include <functional>

#include "build/linked.hpp"
#include "build/stopwatch.hpp"
#include "plan/policy.hpp"

namespace graft::building {

struct BodyRequest {
  bool heavy = false;     // it looks so: an unrolled loop, much code
  bool is_given = false;  // by the caller: nothing else is tried
};

// `make` compiles or links the kernel for a policy; each call of it becomes a step named `step`. `policy` says
// afterwards what was taken and why.
Linked make_best(const std::function<Linked(const plan::Policy&)>& make, BodyRequest request, const char* step,
                 plan::Policy& policy, Stopwatch& watch);

}  // namespace graft::building
