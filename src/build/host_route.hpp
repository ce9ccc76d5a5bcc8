// The host route: callback and adapter compiled for the CPU.
#pragma once

#include "build/open_tools.hpp"
#include "graft/callback.hpp"
#include "graft/image.hpp"
#include "graft/options.hpp"

namespace graft::building {

// Fills bytes and report. Throws Error.
void build_host_route(const Callback& callback, const Options& options, const OpenTools& tools, Image::Data& image);

}  // namespace graft::building
