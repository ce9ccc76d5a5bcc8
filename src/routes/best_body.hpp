// Chooses between the two bodies of a kernel: the vector body, which unrolls the callback over a thread's elements, and
// the rolled body, which calls it once (the lighter kernel of its family, Family::lighter).
//
// A heavy callback in the vector body multiplies the link time by the number of elements (4 and 13 s seen), and a link
// cannot be cancelled. So a callback that looks heavy is built rolled first, and the vector body is built only if the
// size of the rolled kernel's machine code promises a short link.
//
// The vector body may also need local memory that the rolled body does without: for spilled registers, or for elements
// that the compiler keeps in memory instead of registers. Then the rolled body is taken.
//
// Sizes decide, and never times: the same request makes the same kernel on a busy machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "families/registry.hpp"
#include "graft/options.hpp"
#include "link/linked.hpp"
#include "routes/stopwatch.hpp"

namespace graft::routes {

// The vector body is built if the machine code of the rolled kernel, in bytes, times the elements per thread is at most
// this.
inline constexpr std::uint64_t kLargestUnrolled = 130'000;

// A callback looks heavy if the LTO-IR of callback and adapter has more bytes than this.
inline constexpr std::size_t kLargestLightLtoIr = 40'000;

// Both limits as text, for a kernel's recipe (recipe.hpp): a build of graft with other limits may choose otherwise.
std::string heaviness_limits();

// Whether the vector body would take too long to build. `code_bytes` is the size of the rolled kernel. Pure.
bool is_too_heavy(std::uint64_t code_bytes, int elements_per_thread);

// Whether to take the rolled body because of the local memory, in bytes per thread, of the two bodies. Pure.
bool needs_less_memory(std::uint64_t rolled_bytes, std::uint64_t vector_bytes);

struct BodyRequest {
  const PolicyOverrides& asked;  // what the caller asks for; may leave no choice
  bool heavy = false;            // the callback looks heavy: it has an unrolled loop, or much code
  const char* step = "link";     // the name of the step in the report
};

// Builds the kernel of `decided`, or the lighter one, or both. `make` compiles or links one kernel. Afterwards
// `decided` describes the kernel that was taken, and why.
link::Linked make_best(const std::function<link::Linked(const KernelSpec&)>& make, const BodyRequest& request,
                       families::Decided& decided, Stopwatch& watch);

}  // namespace graft::routes
