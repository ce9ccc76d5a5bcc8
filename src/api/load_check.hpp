// Checks an image before its kernel is loaded.
#pragma once

#include "graft/image.hpp"
#include "graft/options.hpp"

namespace graft {

// Refuses an image that contradicts the options, and bytes that graft cannot have made. The driver and the dynamic
// loader do not check the bytes that they load, and could crash on them. Throws Error: InvalidArgument, ImageRefused.
void check_load(const Image& image, const Options& options);

}  // namespace graft
