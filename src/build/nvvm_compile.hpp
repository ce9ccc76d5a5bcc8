// NVVM IR made into LTO-IR by libNVVM; from there on it is a callback like any other in that form.
#pragma once

#include "build/toolbox.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"

namespace graft::building {

struct CompiledNvvm {
  Callback callback;    // of LTO-IR, with the same name, entry and signature
  ToolVersion version;  // libNVVM's
  std::string log;      // warnings
};

// Whether a callback is NVVM IR, or a composition with some among its parts.
bool has_nvvm(const Callback& callback);

// In a composition each part that is NVVM IR. Throws Error: ToolMissing, CompileFailed.
CompiledNvvm compile_nvvm(const Callback& callback, Architecture architecture, const Options& options,
                          const Toolbox& toolbox);

}  // namespace graft::building
