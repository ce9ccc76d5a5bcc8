// Links LTO-IR with nvJitLink: callback and adapter, and the building blocks of the kernel's family, become a kernel.
#pragma once

#include <string>
#include <vector>

#include "codegen/source_program.hpp"
#include "compile/open_tools.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "link/callback_binary.hpp"
#include "link/linked.hpp"

namespace graft::link {

struct LtoLinkRequest {
  std::vector<toolchain::LinkInput> inputs;  // adapter and callback
  const codegen::SourceProgram& program;
  const CallbackBinary& callback;  // for messages
  Architecture architecture;
  const Options& options;
};

// Holds references to the tools and to what the request refers to.
class LtoLinker {
 public:
  LtoLinker(LtoLinkRequest request, const compile::OpenTools& tools);

  // Writes the tools' versions into the report, and a note if NVRTC recompiles the building block because nvJitLink
  // does not take it as graft ships it.
  void describe(Report& report, const KernelSpec& kernel) const;

  // Throws Error: LinkFailed, NoSuchEntry, ToolTooOld, ImageRefused.
  Linked link(const KernelSpec& kernel, toolchain::LinkOutput output = toolchain::LinkOutput::Cubin) const;

 private:
  std::vector<ToolVersion> versions() const;

  LtoLinkRequest request_;
  const compile::OpenTools& tools_;
  std::vector<std::string> flags_;
  bool rebuilds_building_blocks_;
};

}  // namespace graft::link
