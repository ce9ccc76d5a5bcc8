// A source callback and its kernel as two programs, which meet in a linker only.
//
//     the callback's:  the user's text, and  extern "C" __device__ R graft_entry(P...) { return callback(p...); }
//     the kernel's:    extern "C" __device__ float graft_entry(float, const graft_type_1&);   adapter, block
//
// Pure.
#pragma once

#include <string>

#include "build/source_program.hpp"
#include "graft/signature.hpp"

namespace graft::building {

inline constexpr const char* kEntry = "graft_entry";

// The callback's program. The adapter's templates tell the types; its own functions are left out, or both programs
// would define them.
std::string entry_program_text(const SourceProgram& program, const Signature& signature);

// The kernel's: types of equal size, alignment and kind stand for the user's.
SourceProgram stand_in_program(const SourceProgram& program, const Signature& signature);

}  // namespace graft::building
