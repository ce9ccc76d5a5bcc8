// Writes the text of a reduction's first kernel for exactly the types of its callbacks, with the hooks of
// building_blocks/reduce/exact.h. A program with these contains none of the adapter's templates, which take a fourth of
// the time that a reduction takes to be made; its machine code is the same.
//
// The callbacks' types must be known from their texts or declarations: one input, of which map may take the index, and
// one result, without states, chains, stored outputs and an initial accumulator.
#pragma once

#include <optional>
#include <string>

#include "codegen/source_program.hpp"
#include "graft/signature.hpp"

namespace graft::families::reduce {

struct ExactText {
  Signature signature;  // of the kernel, as the templates give it to the compiler
  std::string text;     // of everything in front of the kernel, for which it declares graft_hooks
};

// Returns nothing if the callbacks or the kernel need the templates.
std::optional<ExactText> exact_text(const codegen::SourceProgram& program);

}  // namespace graft::families::reduce
