// Compiles NVVM IR to LTO-IR with libNVVM. The result is a callback like any other of that form.
#pragma once

#include "compile/toolbox.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"

namespace graft::compile {

struct CompiledNvvm {
  Callback callback;    // LTO-IR, with the same name, entry and signature
  ToolVersion version;  // libNVVM's
  std::string log;      // warnings
};

// Whether the callback is NVVM IR, or a composition with NVVM IR among its parts.
bool has_nvvm(const Callback& callback);

// Compiles the callback, or each part of a composition that is NVVM IR. Throws Error: ToolMissing, CompileFailed.
CompiledNvvm compile_nvvm(const Callback& callback, Architecture architecture, const Options& options,
                          const Toolbox& toolbox);

}  // namespace graft::compile
