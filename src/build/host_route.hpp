// The host route: callback and adapter compiled for the CPU.
#pragma once

#include "build/open_tools.hpp"
#include "build/source_program.hpp"
#include "core/image_data.hpp"
#include "graft/options.hpp"

namespace graft::building {

// Fills bytes and report. Throws Error.
void build_host_route(const SourceProgram& program, const Options& options, const OpenTools& tools, Image::Data& image);

}  // namespace graft::building
