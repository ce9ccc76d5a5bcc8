// Compiles a callback in NVVM IR to LTO-IR with libNVVM. graft then treats the result like any callback in LTO-IR.
#pragma once

#include "compile/toolbox.hpp"
#include "graft/callback.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"

namespace graft::compile {

struct CompiledNvvm {
  Callback callback;    // the callback in LTO-IR, with the name, entry and signature of the original
  ToolVersion version;  // the version of libNVVM
  std::string log;      // libNVVM's warnings
};

// Whether the callback is NVVM IR, or a composition that contains a callback in NVVM IR.
bool has_nvvm(const Callback& callback);

// Compiles the callback. If the callback is a composition, compiles each of its callbacks that is NVVM IR. Throws
// Error: ToolMissing, CompileFailed.
CompiledNvvm compile_nvvm(const Callback& callback, Architecture architecture, const Options& options,
                          const Toolbox& toolbox);

}  // namespace graft::compile
