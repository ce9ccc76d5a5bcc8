// The members of a composition as text: each callback in a namespace of its own, so that equal names do not meet.
//
//     #line 1 "a.cu"
//     #include <cmath>                                    <- preprocessor lines stand in front of the namespace
//     namespace graft_text_0 {
//     #line 2 "a.cu"
//     __device__ float gain(float x) { ... }
//     #line 1 "graft_adapter"
//     }
//     GRAFT_PART(graft_part_0, ::graft_text_0::gain)
//
// A member's macros end with it. What it defines extern "C" is renamed, since such names know no namespace. A binary's
// declaration stands in the global namespace, where its mangled name comes from.
#pragma once

#include <string>

#include "reflect/program.hpp"

namespace graft::reflect {

std::string members_section(const ProgramParts& parts);

// What NVRTC lowers for a member: "graft_part_1::function, graft_adapter::Signature<graft_part_1::function>::facts".
std::string member_probe(std::size_t member);
// The same for what a source among them was declared to be, where it was.
std::string declared_member_probe(std::size_t member);
bool is_declared(const ProgramParts& member);

}  // namespace graft::reflect
