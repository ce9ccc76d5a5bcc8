// A callback with an adapter for exactly its signature, where its text shows that: no template, nothing that a linker
// must fold or unroll. It is what one would write by hand:
//
//     float(float)  ->  graft_tile: load 4 floats as one 16-byte word, call 4 times, store one word
//                       graft_element: out[i] = relu(in[i])
//
// Compiling and linking it takes half the time of the general adapter (docs/design.md), which every other signature
// has. Whether the text means what it looks like, the compiler is asked in the same program, before any use: with types
// that are named in front of the user's text, out of reach of its macros.
//
// Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "build/source_program.hpp"
#include "graft/options.hpp"
#include "graft/signature.hpp"
#include "plan/policy.hpp"

namespace graft::building {

// The signature, where the text shows a function of fundamental, half, bfloat16 and complex types.
std::optional<Signature> plain_signature(const SourceProgram& program, const Options& options);

// Whether every thread's share of every array is whole 16-byte words.
bool fits_plain_program(const Signature& signature, const plan::Policy& policy);

// The whole text, with `block` in front of the user's: what calls graft_tile and graft_element, or nothing. For what
// fits_plain_program.
std::string plain_program_text(const SourceProgram& program, const Signature& signature, const plan::Policy& policy,
                               std::string_view block);

}  // namespace graft::building
