// The ptx route: the kernel (building block, adapter and tuning) is one PTX module, which is linked with the callback's
// PTX or machine code. The kernel makes a direct call for each element.
//
// A source callback is compiled to a module of its own, with a function `graft_entry` that has the callback's
// signature. The kernel's module contains nothing of the user's text. It uses stand-ins for the user's types. How a
// parameter is passed depends only on its size, alignment and kind, so a call with stand-ins is the same as a call with
// the user's types.
#pragma once

#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "link/callback_binary.hpp"

namespace graft::routes {

// Builds the kernel, and writes it and the report into the image. Throws Error.
void build_ptx(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

// Returns the newest architecture for which NVRTC can compile PTX that also runs on the architecture `wanted`.
Architecture ptx_architecture(Architecture wanted, const toolchain::Nvrtc& nvrtc);

}  // namespace graft::routes
