// The host route: callback and adapter compiled for the CPU.
#pragma once

#include "build/toolbox.hpp"
#include "graft/callback.hpp"
#include "graft/image.hpp"
#include "graft/options.hpp"

namespace graft::building {

// Fills bytes and report. Throws Error.
void build_host_route(const Callback& callback, const Options& options, const Toolbox& tools, Image::Data& image);

}  // namespace graft::building
