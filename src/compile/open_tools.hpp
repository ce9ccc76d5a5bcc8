// Opens the tools that a request for a kernel or a pack may use. Records for each missing tool why the tool is
// missing. All CUDA tools of a request come from the same installation of the CUDA toolkit.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/toolbox.hpp"
#include "graft/error.hpp"
#include "plan/header_scan.hpp"
#include "plan/route.hpp"
#include "toolchain/driver.hpp"

namespace graft::compile {

// The tools that were opened for one request. A pointer is null if the tool is missing or was not needed.
struct OpenTools {
  std::shared_ptr<const toolchain::Nvrtc> nvrtc;
  std::shared_ptr<const toolchain::NvJitLink> nvjitlink;
  std::shared_ptr<const toolchain::HostCompiler> host_compiler;
  const toolchain::Driver* driver = nullptr;
  std::filesystem::path headers;  // the toolkit's include folder; empty if the toolkit has no headers
  std::string origin;             // Toolkit::origin(), for messages: "/usr/local/cuda-13.0 (CUDA_HOME)"
  unsigned choice = 0;            // Toolkit::choice() when the tools were opened; identifies the installation
  plan::Tools states;             // for each tool its version or why it is missing, for plan::choose_route
  // The user's headers as they were scanned, which NVRTC gets from memory (scanned_headers.hpp). Null if NVRTC opens
  // the user's files itself.
  const plan::HeaderScan* scan = nullptr;

  ToolVersion nvrtc_version() const { return {"NVRTC", nvrtc->version().text()}; }
  ToolVersion nvjitlink_version() const { return {"nvJitLink", nvjitlink->version().text()}; }
  ToolVersion driver_version() const { return {"CUDA driver", driver->version().text()}; }
};

// Which tools of a toolkit to open:
//
//     All        Opens NVRTC and nvJitLink.
//     Compiler   Opens NVRTC. If nvJitLink is not open yet but its file exists, assumes that nvJitLink can be opened
//                and has NVRTC's version.
//     Linker     Opens nvJitLink, which links the callback of a pack. Also opens NVRTC if graft's building blocks must
//                be compiled again because this nvJitLink does not accept their LTO-IR.
//     LinkerAlone   Opens nvJitLink, for the pack of a family that links no building blocks.
//     Nothing    Opens no tool, because the kernel is already linked.
enum class ToolNeeds { All, Compiler, Linker, LinkerAlone, Nothing };

// Opens the tools that can influence the choice of a route. For a GPU kernel, open_tools() opens no host compiler. For
// a host kernel, open_tools() opens only the host compiler.
OpenTools open_tools(const RouteChoice& choice, const Toolbox& tools, ToolNeeds needs = ToolNeeds::All);

// Opens NVRTC only. If NVRTC is missing, does not throw and leaves OpenTools::nvrtc null.
OpenTools open_nvrtc_alone(const Toolbox& tools);

// Opens NVRTC only. Throws Error: ToolMissing if NVRTC is missing, ToolTooOld if NVRTC does not compile for all of
// `architectures`.
OpenTools open_compiler(const Toolbox& tools, const std::vector<Architecture>& architectures);

}  // namespace graft::compile
