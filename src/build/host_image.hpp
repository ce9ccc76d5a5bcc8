// The compile of the host route: one program in, a shared object and the signature out.
//
//     #include "graft/host.h"          CUDA's markers, vector types and device functions, for a CPU
//     ...                              the callback and the adapter, as on the GPU (reflect/program.hpp), and between
//     #include "graft/host_loop.h"     them the loop over elements, in the place of a building block
//
// The object is loaded once to ask it for its probe: the adapter's facts are those of the GPU, so signatures and
// refusals are read and worded by the same code.
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "build/source_program.hpp"
#include "graft/error.hpp"
#include "graft/signature.hpp"
#include "toolchain/host_compiler.hpp"

namespace graft::building {

struct HostImage {
  base::Bytes object;
  Signature signature;
  std::string source;
  std::string log;  // warnings, the user's only
};

std::string host_program_text(reflect::ProgramParts parts);

// Throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter, SignatureMismatch.
HostImage compile_host_image(const SourceProgram& program, const Options& options,
                             const toolchain::HostCompiler& compiler, const std::vector<ToolVersion>& versions);

}  // namespace graft::building
