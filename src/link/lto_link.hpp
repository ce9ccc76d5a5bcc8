// Links LTO-IR to a kernel with nvJitLink: callback, adapter, and the building blocks of the kernel's family.
#pragma once

#include <span>
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
  std::vector<toolchain::LinkInput> inputs;  // the LTO-IR of adapter and callback; views of the caller's bytes
  const codegen::SourceProgram& program;
  const CallbackBinary& callback;  // describes the callback in messages
  Architecture architecture;
  const Options& options;
};

// Returns the request for a callback whose adapter was compiled: `compiled` is LTO-IR of the adapter and, for a source,
// of the callback. The callback's binaries follow it.
LtoLinkRequest link_request(const CallbackRequest& request, std::span<const std::byte> compiled);

// Holds references to the tools and to the objects that the request refers to.
class LtoLinker {
 public:
  LtoLinker(LtoLinkRequest request, const compile::OpenTools& tools);

  // Writes the tools' versions into the report. Adds a note if NVRTC recompiles the building block because nvJitLink
  // cannot read the one that graft ships.
  void describe(Report& report, const KernelSpec& kernel) const;

  // Links the kernel. Throws Error: LinkFailed, NoSuchEntry, ToolTooOld, ImageRefused.
  Linked link(const KernelSpec& kernel, toolchain::LinkOutput output = toolchain::LinkOutput::Cubin) const;

 private:
  std::vector<ToolVersion> versions() const;

  LtoLinkRequest request_;
  const compile::OpenTools& tools_;
  std::vector<std::string> flags_;
  bool rebuilds_building_blocks_;
};

}  // namespace graft::link
