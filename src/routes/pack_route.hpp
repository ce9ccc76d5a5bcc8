// Builds kernels from packs. What the route of a source compiles is in the pack, so only the link is left:
//
//     lto        LTO-IR of callback and adapter, with the building blocks and the tuning for the architecture at hand
//     program    PTX of the whole kernel, which the linker assembles
//     ptx        PTX of the kernel, with PTX of the callback
//     indirect   the prebuilt PTX building block, PTX that graft writes for the signature, and PTX of the callback
//
// A finished kernel for exactly this architecture is used as it is, whichever route made it.
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

// Fills bytes and report. Throws Error.
void build_from_pack(const PackRequest& request, const compile::OpenTools& tools, Image::Data& image);

}  // namespace graft::routes
