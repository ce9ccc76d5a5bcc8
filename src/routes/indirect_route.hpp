// The indirect route: the kernel calls the callback through a function pointer, once per element.
//
// Three modules are linked: a PTX building block that was compiled when graft was built, PTX that graft writes for the
// signature (the kernel, and the thunk that loads an element, calls the callback and stores the result), and the
// callback. If the callback is a binary whose types graft knows, only the driver is needed.
#pragma once

#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "link/callback_binary.hpp"

namespace graft::routes {

// Builds the kernel, and writes it and the report into the image. Throws Error.
void build_indirect(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

// Returns the signature of a callback binary if graft knows all of its types. Returns nothing if only a compiler can
// determine the signature.
std::optional<Signature> signature_without_compiler(const Callback& callback, const Options& options);

}  // namespace graft::routes
