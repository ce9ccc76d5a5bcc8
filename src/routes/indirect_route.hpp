// The indirect route: the kernel calls the callback through a function pointer, once per element.
//
// Three pieces of PTX are linked: a building block that was compiled when graft was built, PTX that graft writes for
// the signature (the thunk), and the callback. For a callback binary whose types graft knows, only the driver is
// needed.
#pragma once

#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "link/callback_binary.hpp"

namespace graft::routes {

// Fills bytes and report. Throws Error.
void build_indirect(const link::CallbackRequest& request, const compile::OpenTools& tools, Image::Data& image);

// The signature of a callback binary if graft knows all of its types; nothing if only a compiler can tell it.
std::optional<Signature> signature_without_compiler(const Callback& callback, const Options& options);

}  // namespace graft::routes
