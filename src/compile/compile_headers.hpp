// The headers that graft gives to a compiler in memory: those of Options::headers, graft's own, and standard headers
// that NVRTC lacks.
#pragma once

#include <vector>

#include "codegen/source_program.hpp"
#include "graft/options.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::compile {

using HeaderList = std::vector<toolchain::NvrtcProgram::Include>;

// The headers for NVRTC; host_headers are those for a host compiler. Both are views into the options, which must
// outlive them. A header of the user's replaces graft's header of the same name.
HeaderList device_headers(const codegen::SourceProgram& program, const Options& options);

// Whether the text includes anything but graft's headers. NVRTC's --minimal must then be left out: it lacks what CUB
// needs.
bool includes_others(const codegen::SourceProgram& program, const Options& options);
HeaderList host_headers(const codegen::SourceProgram& program, const Options& options);

}  // namespace graft::compile
