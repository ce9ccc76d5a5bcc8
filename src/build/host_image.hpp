// The compile of the host route: one program in, a shared object and the signature out.
//
//     #include "graft/host.h"          CUDA's markers, vector types and device functions, for a CPU
//     ...                              the callback and what calls it, as its family has it for a host
//
// The object is loaded once to ask it for its probe: the adapter's facts are those of the GPU, so signatures and
// refusals are read and worded by the same code.
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "graft/error.hpp"
#include "graft/signature.hpp"
#include "reflect/source_program.hpp"
#include "toolchain/host_compiler.hpp"

namespace graft::building {

struct HostImage {
  base::Bytes object;
  Signature signature;
  std::string source;
  std::string log;  // warnings, the user's only
};

std::string host_program_text(const reflect::SourceProgram& program);

// Throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter, SignatureMismatch.
HostImage compile_host_image(const reflect::SourceProgram& program, const Options& options,
                             const toolchain::HostCompiler& compiler, const std::vector<ToolVersion>& versions);

}  // namespace graft::building
