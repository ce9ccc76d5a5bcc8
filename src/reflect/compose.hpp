// The members of a composition as text: each callback in a namespace of its own, so that equal names do not meet.
//
//     #line 1 "a.cu"
//     #include <cmath>                                    <- preprocessor lines stand in front of the namespace
//     namespace graft_text_0 {
//     namespace graft { using namespace ::graft; }        <- a namespace graft of the text's own sees graft's names
//     #line 2 "a.cu"
//     __device__ float gain(float x) { ... }
//     #line 1 "graft_adapter"
//     }
//     GRAFT_PART(graft_part_0, ::graft_text_0::gain)
//
// A member's macros end with it, and with them Options::defines, which each member has in front. What it defines extern
// "C" is renamed, since such names know no namespace. A binary's declaration stands in the global namespace, where its
// mangled name comes from.
#pragma once

#include <string>

#include "reflect/program.hpp"

namespace graft::reflect {

std::string members_section(const ProgramParts& parts);

// What NVRTC lowers for a member: "graft_part_1::graft_function, graft_facts_of<graft_part_1::graft_function>".
std::string member_probe(std::size_t member);
// The same for what a source among them was declared to be, where it was.
std::string declared_member_probe(std::size_t member);
bool is_declared(const ProgramParts& member);

}  // namespace graft::reflect
