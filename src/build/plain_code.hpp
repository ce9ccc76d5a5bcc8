// The user's source compiled for others than graft: LTO-IR, a fatbin, PTX or relocatable machine code, without an
// adapter.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "build/toolbox.hpp"
#include "graft/callback.hpp"
#include "graft/options.hpp"
#include "graft/precompile.hpp"

namespace graft::building {

// `format` is no pack; the architectures are sorted, and one where the format holds one. Throws Error.
base::Bytes compile_plain(const Callback& callback, const std::vector<Architecture>& architectures,
                          PrecompileFormat format, const Options& options, const Toolbox& toolbox);

}  // namespace graft::building
