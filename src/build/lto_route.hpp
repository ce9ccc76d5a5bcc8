// The lto route: NVRTC makes LTO-IR of callback and adapter, nvJitLink links it with the block and the policy's
// fragments. For a binary callback the adapter is compiled against its declaration, and the binary linked beside it.
#pragma once

#include <string>

#include "build/callback_image.hpp"
#include "build/device_compile.hpp"
#include "build/open_tools.hpp"
#include "build/stopwatch.hpp"
#include "core/image_data.hpp"
#include "families/registry.hpp"

namespace graft::building {

// The callback compiled with what calls it, and the kernel that it is for.
struct Adapted {
  Compiled compiled;
  families::Decided decided;
  bool is_second = false;  // a text for exactly one kernel did not fit
};

// Needs NVRTC alone. Where the callback's text does not show the types, a reading pass comes first, a step of its own.
// Throws Error.
Adapted adapt(const CallbackRequest& request, const OpenTools& tools, Stopwatch& watch);

// Each fills bytes and report, from the compile or from the link on. Throws Error.
void build_lto(const CallbackRequest& request, const OpenTools& tools, Image::Data& image);
void link_lto(const CallbackRequest& request, const OpenTools& tools, Adapted adapted, Image::Data& image);

// A callback that the vector body would multiply into something slow to link: it is linked rolled first.
bool looks_heavy(const Compiled& compiled, const reflect::SourceProgram& program, const Callback& callback);

// The linked kernel as PTX, for tests that read it.
std::string lto_kernel_ptx(const Callback& callback, Architecture architecture, const Options& options,
                           const Toolbox& toolbox);

}  // namespace graft::building
