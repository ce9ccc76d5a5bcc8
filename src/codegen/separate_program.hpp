// Splits a source callback and its kernel into two programs, which are compiled separately and joined by a linker.
//
//     both:            struct alignas(4) graft_type_1 { unsigned int words[1]; };
//                      extern "C" __device__ graft_type_1 graft_entry(graft_type_1, float);
//     the callback's:  the user's text, and a definition of graft_entry that copies bits to and from the user's types
//     the kernel's:    the kernel and graft's code that calls graft_entry for each element
//
// How a compiler passes a value depends on its type: __half2, whose copy constructor is not trivial, is passed by
// pointer, and a struct of four bytes by value. Both programs therefore declare graft_entry with the same types:
// fundamental types, and structs of bytes for all others. No user type is part of the declaration.
//
// All functions are pure.
#pragma once

#include <string>

#include "codegen/source_program.hpp"
#include "graft/signature.hpp"

namespace graft::codegen {

inline constexpr const char* kEntry = "graft_entry";

// Writes the callback's program. This program includes the adapter, whose templates deduce the user's types. The
// adapter's functions are static in this program, because the kernel's program defines them too.
std::string entry_program_text(const SourceProgram& program, const Signature& signature);

// Returns the kernel's program. The program only declares graft_entry, and calls graft_entry in place of the callback.
SourceProgram stand_in_program(const SourceProgram& program, const Signature& signature);

}  // namespace graft::codegen
