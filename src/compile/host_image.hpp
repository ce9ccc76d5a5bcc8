// Compiles a callback for the CPU: a program in, a shared object and the callback's signature out.
//
//     #include "graft/host.h"          CUDA's keywords, vector types and device functions, for a CPU
//     ...                              the callback, and the code of its family that calls it (Family::host_text)
//
// The object is loaded once and asked for its probe (reflect/probe.hpp). The probe has the same form as on the GPU, so
// the same code reads signatures and refuses them in the same words.
#pragma once

#include <string>

#include "base/bytes.hpp"
#include "codegen/source_program.hpp"
#include "graft/error.hpp"
#include "graft/signature.hpp"
#include "toolchain/host_compiler.hpp"

namespace graft::compile {

struct HostImage {
  base::Bytes object;
  Signature signature;
  std::string source;
  std::string log;  // warnings about the user's text
};

std::string host_program_text(const codegen::SourceProgram& program);

// Throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter, SignatureMismatch.
HostImage compile_host_image(const codegen::SourceProgram& program, const Options& options,
                             const toolchain::HostCompiler& compiler, const std::vector<ToolVersion>& versions);

}  // namespace graft::compile
