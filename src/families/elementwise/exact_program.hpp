// Writes the exact adapter: text for exactly one signature and policy. Unlike the general adapter, it has no templates
// whose loops the linker must unroll and whose constants it must fold. The result is the code that a programmer would
// write by hand for this signature:
//
//     float(float)  ->  a thread of a tile: load 4 floats as one 16-byte word, call 4 times, store one word
//                       any other thread:   out[i] = relu(in[i])
//
// Compiling and linking an exact adapter takes half the time that the general adapter takes (docs/design.md).
//
// The signature comes from one of two places (TypesFrom):
//
//   * Text: the callback's text shows a function of types that graft knows, or whose layouts it read in the text. The
//     program names the known types in front of the user's text, out of reach of the user's macros. Behind it, the
//     program deduces the other types, and asserts that the callback has exactly these types.
//   * Compiler: a reading pass, a compile that only reads the signature, found sizes, alignments and roles. The program
//     deduces the types from the callback.
//
// An element whose type is not in exact_types.hpp is passed in a cell, a struct of integers with the element's size and
// alignment.
//
// All functions are pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "codegen/source_program.hpp"
#include "families/elementwise/policy.hpp"
#include "families/family.hpp"
#include "graft/options.hpp"
#include "graft/signature.hpp"

namespace graft::elementwise {

using families::TypesFrom;

// Whether the callback can have an exact adapter, whatever its signature is. Compositions, callbacks with a baked
// state, and callbacks that are selected from several overloads cannot have one.
bool can_be_exact(const codegen::SourceProgram& program);

// Whether the kernel can have an exact adapter. Each array's vector (its part of policy.vector_width elements) must
// consist of whole 16-byte words, unless the callback is selective and moves single elements, or the body is rolled.
// Bit arrays have no exact adapter.
bool fits_exact_program(const Signature& signature, const Policy& policy);

// Writes the program. With `is_whole`, its kernel is complete; without, it calls the building block transform.cu, which
// is linked with it. Requires fits_exact_program().
std::string exact_program_text(const codegen::SourceProgram& program, const Signature& signature, TypesFrom types,
                               const Policy& policy, bool is_whole);

}  // namespace graft::elementwise
