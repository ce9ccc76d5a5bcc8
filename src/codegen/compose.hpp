// The text of a composition's members: each callback is in a namespace of its own, so that equal names do not clash.
//
//     #line 1 "a.cu"
//     #include <cmath>                                    <- leading preprocessor lines stay outside the namespace
//     namespace graft_text_0 {
//     namespace graft { using namespace ::graft; }        <- keeps graft's names visible if the text opens it
//     #line 2 "a.cu"
//     __device__ float gain(float x) { ... }
//     #line 1 "graft_adapter"
//     }
//     GRAFT_PART(graft_part_0, ::graft_text_0::gain)
//
// Options::defines are repeated in front of each member. They and the member's own macros are undefined after it. A
// function that a member defines extern "C" is renamed by a macro, because extern "C" names ignore namespaces. The
// declaration of a binary's function is in the global namespace, which its mangled name requires.
#pragma once

#include <string>

#include "codegen/program.hpp"

namespace graft::codegen {

std::string members_section(const ProgramParts& parts);

// The template arguments of a member's probe: "graft_part_1::graft_function,
// graft_facts_of<graft_part_1::graft_function>".
std::string member_probe(std::size_t member);
// The same for the declared signature of a source member; only if is_declared().
std::string declared_member_probe(std::size_t member);
bool is_declared(const ProgramParts& member);

}  // namespace graft::codegen
