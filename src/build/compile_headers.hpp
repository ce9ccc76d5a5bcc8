// The headers that a program finds by name: the user's, then graft's own and those that the compiler lacks.
#pragma once

#include <vector>

#include "graft/options.hpp"
#include "reflect/source_program.hpp"
#include "toolchain/nvrtc.hpp"

namespace graft::building {

using HeaderList = std::vector<toolchain::NvrtcProgram::Include>;

// For NVRTC, and for a host compiler. Views into the options, which must outlive them. A header of graft's stands aside
// for one of the user's of that name.
HeaderList device_headers(const reflect::SourceProgram& program, const Options& options);

// Whether the text includes anything but what device_headers gives it: NVRTC's --minimal lacks what CUB needs.
bool includes_others(const reflect::SourceProgram& program, const Options& options);
HeaderList host_headers(const reflect::SourceProgram& program, const Options& options);

}  // namespace graft::building
