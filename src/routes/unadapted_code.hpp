// Compiles the user's source without graft's adapter, for tools other than graft (nvJitLink, cuFFT). The result is
// LTO-IR, a fatbin, PTX or relocatable machine code.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "compile/toolbox.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::routes {

// Compiles the source to `format`, which must not be a pack. The architectures must be sorted. For a format that holds
// code for one architecture only, give one. Throws Error.
base::Bytes compile_unadapted(const Callback& callback, const std::vector<Architecture>& architectures,
                              PrecompileFormat format, const Options& options, const compile::Toolbox& toolbox);

}  // namespace graft::routes
