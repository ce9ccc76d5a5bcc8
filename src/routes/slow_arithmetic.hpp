// Notes on arithmetic that is slow on GPUs, and that the author of a callback may not know about: doubles in a callback
// of smaller numbers, and the division of 64-bit integers.
//
//     __device__ float half_of(float x) { return x * 0.1; }      0.1 is a double, so x becomes one too
//     __device__ int row(graft::Index i, const int& width) { return i / width; }      i has 64 bits, so width gets them
//
// The finished machine code shows both, on every route and for every form of callback: the compiler has removed
// arithmetic of doubles whose result a float holds exactly, and divisions by constants. The code is read anyway
// (link/linked.hpp), so the notes cost no time.
#pragma once

#include "codegen/source_program.hpp"
#include "graft/report.hpp"
#include "link/linked.hpp"

namespace graft::routes {

// Adds a note for each kind of slow arithmetic that the kernel has. There is no note on doubles if an array, the state
// or an accumulator may hold them, or if the callback's text names the type.
void note_slow_arithmetic(const codegen::SourceProgram& program, const link::LinkFindings& findings, Report& report);

}  // namespace graft::routes
