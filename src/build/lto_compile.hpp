// The compile of the lto route: one program in, LTO-IR and the signature out.
#pragma once

#include "build/source_program.hpp"
#include "graft/report.hpp"
#include "toolchain/toolkit.hpp"

namespace graft::building {

struct Compiled {
  base::Bytes ltoir;
  Signature signature;
  std::string source;
  std::string log;  // warnings, the user's only
};

// Throws Error: CompileFailed, NoSuchEntry, AmbiguousEntry, UnsupportedParameter, SignatureMismatch.
Compiled compile_ltoir(const SourceProgram& program, Architecture architecture, const Options& options,
                       const toolchain::Nvrtc& nvrtc, const std::filesystem::path& toolkit_headers,
                       const std::vector<ToolVersion>& versions);

}  // namespace graft::building
