// Which kernel a callback gets: the one that was decided on, which unrolls it over a thread's elements (the vector
// body), or the lighter one of its family (the rolled body), which calls it once.
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
#include <string>

#include "build/linked.hpp"
#include "build/stopwatch.hpp"
#include "families/registry.hpp"
#include "graft/options.hpp"

namespace graft::building {

// The rolled kernel's machine code times the elements of a thread, in bytes, up to which the vector body is made; and
// LTO-IR of callback and adapter beyond which a callback looks heavy.
inline constexpr std::uint64_t kLargestUnrolled = 130'000;
inline constexpr std::size_t kLargestLightLtoIr = 40'000;

// Both, in words, for who must know whether another build decides by others.
std::string heaviness_limits();

// Whether the vector body would take too long to make: `code_bytes` are the rolled kernel's. Pure.
bool is_too_heavy(std::uint64_t code_bytes, int elements_per_thread);

// Whether a vector body with so much local memory a thread is given up for the rolled one. Pure.
bool needs_less_memory(std::uint64_t rolled_bytes, std::uint64_t vector_bytes);

struct BodyRequest {
  const PolicyOverrides& asked;  // which may leave no choice
  bool heavy = false;            // the callback looks so: an unrolled loop, much code
  const char* step = "link";     // the name of each making in the report
};

// `make` compiles or links a kernel. `decided` says afterwards which was taken and why.
Linked make_best(const std::function<Linked(const KernelSpec&)>& make, const BodyRequest& request,
                 families::Decided& decided, Stopwatch& watch);

}  // namespace graft::building
