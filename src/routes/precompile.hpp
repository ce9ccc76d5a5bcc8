// Compiles a callback ahead of time, to a pack or to a format that NVIDIA's own tools read. Needs no GPU and no driver.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "compile/toolbox.hpp"
#include "core/step.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::routes {

// Thread-safe. Throws Error.
base::Bytes precompile(const Step& step, const std::vector<Architecture>& architectures, PrecompileFormat format,
                       const Options& options, const compile::Toolbox& toolbox);

}  // namespace graft::routes
