// Compiles a callback for the CPU to a shared object, and reads the callback's signature. The program that is compiled
// is:
//
//     #include "graft/host.h"          CUDA's keywords, vector types and device functions, for a CPU
//     ...                              the callback, and the code of its family that calls it (Family::host_text)
//
//     GRAFT_EXPORT const char* graft_host_probe()    returns the name of the probe (reflect/signature/probe.hpp)
//
// The object has one such function for each probe that graft needs. graft loads the object once and calls these
// functions. The returned names have the same form as on the GPU, so read_signature.hpp reads and checks the names of
// both kinds of kernel.
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
  std::string source;  // the program that was compiled
  std::string log;     // warnings about the user's source
};

// Throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter, SignatureMismatch.
HostImage compile_host_image(const codegen::SourceProgram& program, const Options& options,
                             const toolchain::HostCompiler& compiler, const std::vector<ToolVersion>& versions);

// Compiles a program, which begins with the callback's text, to a shared object with debug information of DWARF 2.
// Throws as compile_host_image does.
base::Bytes compile_with_debug_info(const std::string& text, const codegen::SourceProgram& program,
                                    const Options& options, const toolchain::HostCompiler& compiler);

}  // namespace graft::compile
