// The host route: a C++ compiler compiles callback and adapter for the CPU. It serves machines and tests without a GPU.
#pragma once

#include "codegen/source_program.hpp"
#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "graft/options.hpp"

namespace graft::routes {

// Builds the kernel, and writes it and the report into the image. Throws Error.
void build_host_route(const codegen::SourceProgram& program, const Options& options, const compile::OpenTools& tools,
                      Image::Data& image);

}  // namespace graft::routes
