// Builds the image of a request: examines the callback, opens the tools, chooses the route (plan/route.hpp), and calls
// the file of that route (lto_route, program_route, ptx_route, indirect_route, host_route; pack_route for packs). Uses
// no cache and needs no GPU.
#pragma once

#include <optional>
#include <string>

#include "compile/toolbox.hpp"
#include "core/image_data.hpp"
#include "core/step.hpp"
#include "graft/options.hpp"
#include "own_kernels/code_cache.hpp"
#include "plan/header_scan.hpp"

namespace graft::routes {

// Builds the image. Without an architecture, only the host route is possible. `scan` has the user's headers, which
// NVRTC then gets from memory; if it is null, the compilers open the headers themselves. `codes` has the codes of own
// kernels that were compiled before; if it is null, none is kept. Thread-safe. Throws Error.
Image::Data build_image(const Step& step, std::optional<Architecture> architecture, const Options& options,
                        const compile::Toolbox& toolbox, const plan::HeaderScan* scan = nullptr,
                        own_kernels::CodeCache* codes = nullptr);

// Returns the PTX of the kernel that build_image makes, for people to read: what the lto and program routes compile
// callback and kernel to, or the modules that the ptx and indirect routes link, one behind the other. Builds the
// kernel. Throws Error, also RouteUnavailable if the kernel is not made of PTX (the host route, packs), and for kernels
// of one's own.
std::string kernel_ptx(const Step& step, Architecture architecture, const Options& options,
                       const compile::Toolbox& toolbox);

// Finds the spelling of the declared signature (`long` or `long long`, wide_integers.hpp) with which the callback
// links, and returns the step with this spelling. Packs need this function, because a pack is made without a link
// that would show a wrong spelling. Returns the first spelling if no spelling links on this machine.
Step spelled_as_linked(const Step& step, Architecture architecture, const Options& options,
                       const compile::Toolbox& toolbox);

// Throws Error(InvalidArgument) for an architecture older than kOldestArchitecture.
void check_architecture(std::optional<Architecture> architecture);

}  // namespace graft::routes
