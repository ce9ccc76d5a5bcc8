// Links PTX and machine code to a cubin, without link-time optimisation, by nvJitLink or by the driver's linker.
#pragma once

#include <string>
#include <vector>

#include "codegen/source_program.hpp"
#include "compile/open_tools.hpp"
#include "graft/options.hpp"
#include "link/callback_binary.hpp"
#include "link/linked.hpp"

namespace graft::link {

struct PtxLinkRequest {
  std::vector<toolchain::LinkInput> inputs;
  const codegen::SourceProgram& program;
  const CallbackBinary& callback;  // describes the callback in messages
  std::string kernel;
  Architecture architecture;
  const Options& options;
  // The version of the compiler that made the PTX inputs. The linker must not be older. 0.0 allows every linker.
  Version made_by = {};
};

// Returns the name and version, for the report, of the tool that link_ptx uses.
ToolVersion ptx_linker_version(const PtxLinkRequest& request, const compile::OpenTools& tools);

// Links the kernel. Throws Error: LinkFailed, NoSuchEntry, ToolTooOld, ImageRefused.
Linked link_ptx(const PtxLinkRequest& request, const compile::OpenTools& tools);

}  // namespace graft::link
