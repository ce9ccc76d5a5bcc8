// The ptx route: the kernel (building block, adapter and tuning) is one PTX module, which is linked with the callback's
// PTX or machine code. The kernel makes a direct call for each element.
//
// A source callback is compiled to a module of its own, with a function `graft_entry` of the callback's signature. The
// kernel's module has nothing of the user's text. It uses stand-ins for the user's types: how a parameter is passed
// depends only on its size, alignment and kind, so the call is the same.
#pragma once

#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "link/callback_binary.hpp"

namespace graft::routes {

// Fills bytes and report. Throws Error.
void build_ptx(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

// The newest architecture that NVRTC can compile PTX for and whose PTX runs on this one.
Architecture ptx_architecture(Architecture wanted, const toolchain::Nvrtc& nvrtc);

}  // namespace graft::routes
