// Kernels of packs, by each route: what a source's route compiles stands in the pack, and only the link is left.
//
//     lto        callback and adapter as LTO-IR, linked with the block and the policy for the architecture at hand
//     program    PTX of the whole kernel: the linker assembles it
//     ptx        PTX of kernel and callback, joined
//     indirect   the prebuilt PTX block, PTX that graft writes for the signature, and the callback's
//
// or, by whichever route the pack's maker took, a finished kernel, with nothing left to do.
#pragma once

#include "build/open_tools.hpp"
#include "build/pack_contents.hpp"
#include "core/image_data.hpp"

namespace graft::building {

struct PackRequest {
  const PackContents& contents;
  Route route;
  Architecture architecture;
  const Options& options;
};

// Fills bytes and report. Throws Error.
void build_from_pack(const PackRequest& request, const OpenTools& tools, Image::Data& image);

}  // namespace graft::building
