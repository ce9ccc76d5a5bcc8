// Which body of the block a callback gets: the vector body, which unrolls it over a thread's elements, or the rolled
// one.
//
// A heavy callback in the vector body multiplies the time of the link by the number of elements (4 and 13 s seen), and
// a link cannot be cancelled. So what looks heavy is made rolled first, and goes on to vector only where the size of
// the rolled kernel's machine code promises a short link. And a vector body may need local memory that the rolled one
// does without: registers that are spilled, or shares that the compiler keeps in memory. Then the rolled one is taken.
//
// Sizes decide, and never times: the same request makes the same kernel on a busy machine.
#pragma once

#include <cstdint>
#include <functional>

#include "build/linked.hpp"
#include "build/stopwatch.hpp"
#include "kernel/policy.hpp"

namespace graft::building {

struct BodyRequest {
  bool heavy = false;     // it looks so: an unrolled loop, much code
  bool is_given = false;  // by the caller: nothing else is tried
};

// Whether the vector body would take too long to make: `code_bytes` are the rolled kernel's. Pure.
bool is_too_heavy(std::uint64_t code_bytes, int elements_per_thread);

// Whether a vector body with so much local memory a thread is given up for the rolled one. Pure.
bool needs_less_memory(std::uint64_t rolled_bytes, std::uint64_t vector_bytes);

// `make` compiles or links the kernel for a policy; each call of it ends with a step named `step`. `policy` says
// afterwards what was taken and why.
Linked make_best(const std::function<Linked(const kernel::Policy&)>& make, BodyRequest request, const char* step,
                 kernel::Policy& policy, Stopwatch& watch);

}  // namespace graft::building
