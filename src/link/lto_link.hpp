// Links a kernel with nvJitLink from the LTO-IR of the callback, of its adapter, and of the building blocks, the part
// of a kernel that graft ships compiled for each family of kernels.
#pragma once

#include <optional>
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

// Returns the request to link a callback whose adapter was compiled. `compiled` is the LTO-IR of the adapter; if the
// callback is source code, `compiled` contains the callback too. The inputs of the request are `compiled` and then the
// callback's binaries.
LtoLinkRequest link_request(const CallbackRequest& request, std::span<const std::byte> compiled);

// The LtoLinker holds references to the tools and to the objects in the request, which must outlive the LtoLinker.
class LtoLinker {
 public:
  LtoLinker(LtoLinkRequest request, const compile::OpenTools& tools);

  // Writes the tools' versions into the report. Adds a note if NVRTC recompiles the building block because nvJitLink
  // cannot read the building block that graft ships.
  void describe(Report& report, const KernelSpec& kernel) const;

  // Links the kernel. Throws Error: LinkFailed, NoSuchEntry, ToolTooOld, ImageRefused.
  Linked link(const KernelSpec& kernel, toolchain::LinkOutput output = toolchain::LinkOutput::Cubin) const;

 private:
  std::vector<ToolVersion> versions() const;

  LtoLinkRequest request_;
  const compile::OpenTools& tools_;
  std::vector<std::string> flags_;
  std::optional<std::size_t> copy_;  // the copy of the building blocks; nothing if NVRTC compiles them again
};

}  // namespace graft::link
