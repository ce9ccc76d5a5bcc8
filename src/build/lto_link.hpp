// A link of LTO-IR by nvJitLink: callback and adapter, with the blocks of the kernel's family, into a kernel.
#pragma once

#include <string>
#include <vector>

#include "build/callback_image.hpp"
#include "build/linked.hpp"
#include "build/open_tools.hpp"
#include "graft/kernel_spec.hpp"
#include "graft/options.hpp"
#include "reflect/source_program.hpp"

namespace graft::building {

struct LtoLinkRequest {
  std::vector<toolchain::LinkInput> inputs;  // adapter and callback
  const reflect::SourceProgram& program;
  const CallbackImage& callback;  // for messages
  Architecture architecture;
  const Options& options;
};

// Refers to all that it is made of.
class LtoLinker {
 public:
  LtoLinker(LtoLinkRequest request, const OpenTools& tools);

  // Its tools, and that NVRTC compiles the block anew, where nvJitLink does not take it as it was shipped.
  void describe(Report& report) const;

  // Throws Error: LinkFailed, NoSuchEntry, ToolTooOld, ImageRefused.
  Linked link(const KernelSpec& kernel, toolchain::LinkOutput output = toolchain::LinkOutput::Cubin) const;

 private:
  std::vector<ToolVersion> versions() const;

  LtoLinkRequest request_;
  const OpenTools& tools_;
  std::vector<std::string> flags_;
  bool rebuilds_block_;
};

// The CUDA version that made the block's LTO-IR.
toolchain::Version block_version();

}  // namespace graft::building
