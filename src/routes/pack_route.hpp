// Builds kernels from packs. The pack already contains what each route would compile for a source, so only the link is
// left:
//
//     lto        LTO-IR of callback and adapter, with the building blocks and the tuning for the request's architecture
//     program    PTX of the whole kernel, which the linker assembles
//     ptx        PTX of the kernel, with PTX of the callback
//     indirect   the prebuilt PTX building block, PTX that graft writes for the signature, and PTX of the callback
//
// If the pack has a finished kernel for exactly this architecture, that kernel is used unchanged, whichever route made
// it.
#pragma once

#include "compile/open_tools.hpp"
#include "core/image_data.hpp"
#include "routes/pack_contents.hpp"

namespace graft::routes {

struct PackRequest {
  const PackContents& contents;
  Route route;
  Architecture architecture;
  const Options& options;
};

// Builds the kernel, and writes it and the report into the image. Throws Error.
void build_from_pack(const PackRequest& request, const compile::OpenTools& tools, Image::Data& image);

}  // namespace graft::routes
