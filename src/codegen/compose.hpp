// Writes the text of a composition's members. Each member is one callback, in a namespace of its own, so that equal
// names in two callbacks do not clash.
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
// Options::defines are written again in front of each member. These macros, and those that the member itself defines,
// are undefined after it. A function that a member defines extern "C" is renamed by a macro, because extern "C" names
// ignore namespaces. A callback binary's function is declared in the global namespace, because its mangled name
// requires that.
#pragma once

#include <string>

#include "codegen/program.hpp"
#include "codegen/program_text.hpp"

namespace graft::codegen {

void write_members(ProgramText& text, const ProgramParts& parts);

// Returns the template arguments of a member's probe: "graft_part_1::graft_function,
// graft_facts_of<graft_part_1::graft_function>".
std::string member_probe(std::size_t member);
// Returns the template arguments of the probe that checks a source member's declared signature. Call this only if
// is_declared() is true.
std::string declared_member_probe(std::size_t member);
bool is_declared(const ProgramParts& member);

}  // namespace graft::codegen
