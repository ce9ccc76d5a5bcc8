// Helpers that compile callbacks in tests which need a toolkit but no GPU.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

#include "compile/device_compile.hpp"
#include "compile/open_tools.hpp"
#include "compile/toolbox.hpp"
#include "graft/graft.hpp"
#include "link/lto_link.hpp"
#include "routes/routes.hpp"
#include "support/errors.hpp"

namespace graft::test {

// Returns this machine's compilers and linkers, which are opened once per test program.
inline const compile::Toolbox& toolbox() {
  static const compile::Toolbox tools({}, {}, 0);
  return tools;
}

// Returns whether the toolkit has CCCL's headers (<cuda/std/...>, CUB, Thrust).
inline bool has_cccl() {
  return std::filesystem::exists(toolbox().toolkit().include_folder() / "cccl" / "cuda" / "std" / "array");
}

// Returns only the signature: the callback is scanned and compiled, but not linked.
inline Signature signature_of(const Callback& callback, const Options& options = {}) {
  const compile::OpenTools tools = compile::open_tools({}, toolbox());
  if (!tools.nvrtc) throw std::runtime_error(tools.states.nvrtc.why_not);
  const codegen::SourceProgram program = codegen::prepare_program({callback}, options);
  return compile::DeviceCompiler(program, Architecture(75), options, tools).signature();
}

// Returns the kernel that the lto route links, as PTX. Tests search the PTX for vector loads, calls and local memory.
inline std::string lto_kernel_ptx(const Callback& callback, Architecture architecture, const Options& options = {}) {
  const compile::OpenTools tools = compile::open_tools({}, toolbox());
  const codegen::SourceProgram program = codegen::prepare_program({callback}, options);
  const link::CallbackBinary binary = link::examine(callback, architecture);
  const link::CallbackRequest request = {callback, program, binary, architecture, options};
  Report report;
  routes::Stopwatch watch(report);
  const routes::Adapted adapted = routes::adapt(request, tools, watch);
  const link::LtoLinker linker(link::link_request(request, adapted.compiled.code), tools);
  return std::string(base::as_text(linker.link(adapted.decided.kernel, toolchain::LinkOutput::Ptx).code));
}

}  // namespace graft::test
