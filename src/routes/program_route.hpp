// The program route: NVRTC compiles callback, adapter, tuning and building block as one program, directly to a cubin.
// No linker is needed.
//
// The tuning is part of the program's text and depends on the signature. So the signature must be known before the text
// is written. If the callback's text does not show the signature, a compile that stops after the front end reads the
// signature first.
#pragma once

#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "link/callback_binary.hpp"

namespace graft::routes {

// Builds the kernel, and writes it and the report into the image. Throws Error.
void build_program(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

}  // namespace graft::routes
