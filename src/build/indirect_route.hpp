// The indirect route: a PTX block made when graft was built, PTX that graft writes for the signature, and the callback:
// a call through a pointer for each element, and nothing needed but the driver.
#pragma once

#include "build/callback_image.hpp"
#include "build/open_tools.hpp"
#include "core/image_data.hpp"

namespace graft::building {

// Fills bytes and report. Throws Error.
void build_indirect(const CallbackRequest& request, const OpenTools& tools, Image::Data& image);

// The signature of a binary callback whose types graft knows by itself; nothing where a compiler must be asked.
std::optional<Signature> signature_without_compiler(const Callback& callback, const Options& options);

}  // namespace graft::building
