// Prepares the callback of a kernel: codegen::prepare_program, with the rules and the kernel's name of the family.
#pragma once

#include "codegen/source_program.hpp"

namespace graft::families {

// Throws the errors of codegen::prepare_program, and Error(InvalidArgument) if the family is unknown or has no use for
// the callback.
codegen::SourceProgram prepare_program(const Step& step, const Options& options,
                                       const codegen::HasFile& has_file = codegen::is_on_disk);

}  // namespace graft::families
