// Builds the image of a request: chooses the route and follows it. No cache, no driver.
#pragma once

#include <optional>

#include "build/toolbox.hpp"
#include "core/image_data.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"

namespace graft::building {

// Without an architecture only the host route can be taken. Thread-safe. Throws Error.
Image::Data build_image(const Callback& callback, std::optional<Architecture> architecture, const Options& options,
                        const Toolbox& toolbox);

// The callback in the spelling of its declared signature that its image has a function for (wide_integers.hpp), for
// what does not link it: a pack. The callback itself where nothing tells.
Callback spelled_as_linked(const Callback& callback, Architecture architecture, const Options& options,
                           const Toolbox& toolbox);

// Throws Error(InvalidArgument) for one older than any that graft makes kernels for.
void check_architecture(std::optional<Architecture> architecture);

}  // namespace graft::building
