// A source callback and its kernel as two programs, which meet in a linker only.
//
//     both:            struct alignas(4) graft_type_1 { unsigned char bytes[4]; };
//                      extern "C" __device__ graft_type_1 graft_entry(graft_type_1, float);
//     the callback's:  the user's text, and a definition of graft_entry that copies bits to and from the user's types
//     the kernel's:    adapter, block
//
// How a compiler passes a value depends on its type: __half2, whose copy constructor is no trivial one, goes by
// pointer, and a struct of four bytes by value. So both programs declare the function with the same types: fundamental
// ones, and bytes for everything else. Neither has a type of the user's in it.
//
// Pure.
#pragma once

#include <string>

#include "graft/signature.hpp"
#include "reflect/source_program.hpp"

namespace graft::reflect {

inline constexpr const char* kEntry = "graft_entry";

// The callback's program. The adapter's templates tell the user's types; its own functions are static, or both programs
// would define them.
std::string entry_program_text(const SourceProgram& program, const Signature& signature);

// The kernel's: its callback is the declared function.
SourceProgram stand_in_program(const SourceProgram& program, const Signature& signature);

}  // namespace graft::reflect
