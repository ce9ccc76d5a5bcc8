// A callback with an adapter for exactly its signature: no template that a linker must fold or unroll. It is what one
// would write by hand:
//
//     float(float)  ->  graft_tile: load 4 floats as one 16-byte word, call 4 times, store one word
//                       graft_element: out[i] = relu(in[i])
//
// Compiling and linking it takes half the time of the general adapter (docs/design.md). The signature comes from the
// callback's text, where that shows a function of types that graft knows, and then the compiler is asked in the same
// program whether the text means what it looks like, before any use: with types that are named in front of the user's
// text, out of reach of its macros. Or it comes from a reading pass of the compiler's, and then the types are whatever
// the callback takes: an element that graft has no words for is passed in a cell of its size and alignment.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "families/elementwise/policy.hpp"
#include "families/family.hpp"
#include "graft/options.hpp"
#include "graft/signature.hpp"
#include "reflect/source_program.hpp"

namespace graft::elementwise {

using families::TypesFrom;

// Whether the text of a plain program can name each array's element type: a fundamental, half, bfloat16 or complex one.
bool has_words_for(const Signature& signature);

// Whether a program of whatever signature can be a plain one: one callback, named or written so that it has one type.
bool can_be_plain(const reflect::SourceProgram& program);

// Whether every thread's share of every array is whole 16-byte words.
bool fits_plain_program(const Signature& signature, const Policy& policy);

// The whole text, with `block` in front of the user's: what calls graft_tile and graft_element, or nothing. For what
// fits_plain_program.
std::string plain_program_text(const reflect::SourceProgram& program, const Signature& signature, TypesFrom types,
                               const Policy& policy, std::string_view block);

}  // namespace graft::elementwise
