// Chooses between the two bodies of a kernel: the vector body, which unrolls the callback over a thread's elements, and
// the rolled body, whose code contains the callback once (Family::lighter returns this lighter kernel).
//
// In the vector body, the link time of a heavy callback grows with the number of elements (some links took 4 and 13 s),
// and a link cannot be cancelled. So for a callback that looks heavy, the rolled body is built first. The vector body
// is built only if the machine code of the rolled body is so small that the link of the vector body will be short.
//
// The vector body may also need local memory that the rolled body does not need: for spilled registers, or for elements
// that the compiler keeps in memory instead of registers. In this case the rolled body is chosen.
//
// The choice depends on sizes and never on times, so the same request makes the same kernel on a busy machine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "families/registry.hpp"
#include "graft/options.hpp"
#include "link/linked.hpp"
#include "routes/stopwatch.hpp"

namespace graft::routes {

// The vector body is built if the size in bytes of the rolled kernel's machine code, multiplied by the elements per
// thread, is at most this limit.
inline constexpr std::uint64_t kLargestUnrolled = 130'000;

// A callback looks heavy if the LTO-IR of callback and adapter has more bytes than this limit.
inline constexpr std::size_t kLargestLightLtoIr = 40'000;

// A callback looks light, and NVRTC alone makes its kernel, if its text and headers have at most this many bytes.
inline constexpr std::size_t kLongestLightText = 8'000;

// Returns the limits as text, for a kernel's recipe (recipe.hpp): a build of graft with other limits may choose another
// body.
std::string heaviness_limits();

// Returns whether the vector body would take too long to build. `code_bytes` is the size of the rolled kernel's machine
// code. Pure function.
bool is_too_heavy(std::uint64_t code_bytes, int elements_per_thread);

// Returns whether the vector body needs so much more local memory that the rolled body is chosen. The arguments are the
// local memory of the two bodies, in bytes per thread. Pure function.
bool needs_less_memory(std::uint64_t rolled_bytes, std::uint64_t vector_bytes);

struct BodyRequest {
  const PolicyOverrides& asked;  // the request's overrides, which may fix the body, vector or rolled
  bool heavy = false;            // true if the callback looks heavy: it has an unrolled loop, or much code
  const char* step = "link";     // the name under which the report lists the time of each build
};

// Builds the kernel of `decided`, its lighter variant, or both. `make` compiles or links one kernel. Afterwards,
// `decided` describes the kernel that was chosen, and says why.
link::Linked make_best(const std::function<link::Linked(const KernelSpec&)>& make, const BodyRequest& request,
                       families::Decided& decided, Stopwatch& watch);

}  // namespace graft::routes
