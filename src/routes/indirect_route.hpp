// The indirect route: the kernel calls the callback through a function pointer, once per element.
//
// Three PTX modules are linked: a building block that was compiled when graft was built, PTX that graft writes for the
// signature (the thunk), and the callback. If the callback is a binary whose types graft knows, only the driver is
// needed.
#pragma once

#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "link/callback_binary.hpp"

namespace graft::routes {

// Builds the kernel, and writes it and the report into the image. Throws Error.
void build_indirect(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

// Returns the signature of a callback binary if graft knows all of its types. Returns nothing if only a compiler can
// determine it.
std::optional<Signature> signature_without_compiler(const Callback& callback, const Options& options);

}  // namespace graft::routes
