// The headers that graft gives to a compiler from memory: the user's headers (Options::headers), graft's own headers,
// and the standard headers that NVRTC lacks.
#pragma once

#include <vector>

#include "codegen/source_program.hpp"
#include "graft/options.hpp"
#include "plan/header_scan.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::compile {

using HeaderList = std::vector<toolchain::NvrtcProgram::Include>;

// device_headers returns the headers for NVRTC, and host_headers the headers for a host compiler. Both results contain
// views into `options`, which must outlive the results. A user's header replaces graft's header of the same name.
// In device_headers, the user's headers name each other in full (core/memory_headers.hpp). `scan` is the scan of the
// request; if it is null, the user's files are searched where that is necessary.
HeaderList device_headers(const codegen::SourceProgram& program, const Options& options,
                          const plan::HeaderScan* scan = nullptr);
HeaderList host_headers(const codegen::SourceProgram& program, const Options& options);

// Whether the callback's source includes any header that does not come from graft. NVRTC's option --minimal must then
// be left out, because with --minimal NVRTC lacks declarations that other headers, such as CUB's, need.
bool includes_others(const codegen::SourceProgram& program, const Options& options,
                     const plan::HeaderScan* scan = nullptr);

}  // namespace graft::compile
