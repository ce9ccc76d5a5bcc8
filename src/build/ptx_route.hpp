// The ptx route: block, adapter and policy as one PTX module, linked with the callback's PTX or machine code: a direct
// call for each element.
//
// A source callback is compiled to a module of its own, with a function `graft_entry` of the callback's signature. The
// kernel's module then has nothing of the user's text: how a parameter is passed depends on its size, alignment and
// kind alone, so types that stand in for the user's own give the same call.
#pragma once

#include "build/callback_image.hpp"
#include "build/open_tools.hpp"
#include "core/image_data.hpp"

namespace graft::building {

// Fills bytes and report. Throws Error.
void build_ptx(const CallbackRequest& request, const OpenTools& tools, Image::Data& image);

// The newest architecture that NVRTC compiles for and whose PTX serves this one.
Architecture ptx_architecture(Architecture wanted, const toolchain::Nvrtc& nvrtc);

}  // namespace graft::building
