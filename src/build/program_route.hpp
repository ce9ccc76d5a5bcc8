// The program route: NVRTC compiles callback, adapter, policy and block as one program, straight to a cubin. No linker.
//
// The policy stands in the text, and follows from the signature, so a compile that stops after the front end reads that
// first.
#pragma once

#include "build/callback_image.hpp"
#include "build/open_tools.hpp"
#include "core/image_data.hpp"

namespace graft::building {

// Fills bytes and report. Throws Error.
void build_program(const CallbackRequest& request, const OpenTools& tools, Image::Data& image);

}  // namespace graft::building
