// Writes the text of the members of a composition (graft::chain, graft::Stages). Each member is one callback. Its text
// is in a namespace of its own, so that equal names in two callbacks do not clash.
//
//     #line 1 "a.cu"
//     #include <cmath>                                    <- the #include lines stay outside the namespace
//     namespace graft_text_0 {
//     namespace graft { using namespace ::graft; }        <- keeps ::graft visible if the text opens a namespace graft
//     #line 2 "a.cu"
//     __device__ float gain(float x) { ... }
//     #line 1 "graft_adapter"
//     }
//     GRAFT_PART(graft_part_0, ::graft_text_0::gain)
//
// The macros of Options::defines are defined again in front of each member. After the member, each of these macros, and
// each macro that the member's text defines, gets back the definition that it had before, if any. So no member's macros
// change the next member. A function that a member defines extern "C" is renamed by a macro, because extern "C"
// functions of the same name in two namespaces are the same function. The function of a callback binary is declared in
// the global namespace, because the mangled name in the binary does not contain a namespace of graft's.
#pragma once

#include <string>

#include "codegen/program.hpp"
#include "codegen/program_text.hpp"

namespace graft::codegen {

void write_members(ProgramText& text, const ProgramParts& parts);

// Writes the members without the structs that call them, for a program that calls the functions itself. Must not be
// called if a member has functions that are named like CUDA's (ProgramParts::named_like_cuda). `first` is the number of
// the first member, for programs that are linked with others.
void write_plain_members(ProgramText& text, const ProgramParts& parts, std::size_t first = 0);

// Returns the expression that names the function of a member: "::graft_text_0::gain".
std::string member_call(const ProgramParts& member, std::size_t number);

// Returns the template arguments of a member's probe, the variable from whose mangled name graft reads the member's
// signature (reflect/signature/probe.hpp). For member 1, these are "graft_part_1::graft_function,
// graft_facts_of<graft_part_1::graft_function>".
std::string member_probe(std::size_t member);
// Returns the template arguments of the probe of the signature that was declared for a source member. graft compares
// the declared signature with that of the source. Call this function only if is_declared() returns true.
std::string declared_member_probe(std::size_t member);
// Whether the member is source for which a signature was declared (Callback::with_signature).
bool is_declared(const ProgramParts& member);

}  // namespace graft::codegen
