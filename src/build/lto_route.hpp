// The lto route: NVRTC makes LTO-IR of callback and adapter, nvJitLink links it with the block and the policy's
// fragments. For a binary callback the adapter is compiled against its declaration, and the binary linked beside it.
#pragma once

#include "build/callback_image.hpp"
#include "build/device_compile.hpp"
#include "build/open_tools.hpp"
#include "graft/image.hpp"

namespace graft::building {

// Fills bytes and report. Throws Error.
void build_lto(const CallbackRequest& request, const OpenTools& tools, Image::Data& image);

// A callback that the vector body would multiply into something slow to link: it is linked rolled first.
bool looks_heavy(const Compiled& compiled, const SourceProgram& program, const Callback& callback);

// The linked kernel as PTX, for tests that read it.
std::string lto_kernel_ptx(const Callback& callback, Architecture architecture, const Options& options,
                           const Toolbox& toolbox);

}  // namespace graft::building
