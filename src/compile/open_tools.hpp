// Opens the tools that one request may use, and says of each missing tool why it is missing. All tools come from one
// installation of the CUDA toolkit.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "compile/toolbox.hpp"
#include "graft/error.hpp"
#include "plan/route.hpp"
#include "toolchain/driver.hpp"

namespace graft::compile {

// A pointer is null if the tool is missing or was not looked for.
struct OpenTools {
  std::shared_ptr<const toolchain::Nvrtc> nvrtc;
  std::shared_ptr<const toolchain::NvJitLink> nvjitlink;
  std::shared_ptr<const toolchain::HostCompiler> host_compiler;
  const toolchain::Driver* driver = nullptr;
  std::filesystem::path headers;  // the toolkit's include folder, or empty
  std::string origin;             // where the toolkit is
  unsigned choice = 0;            // Toolkit::choice, which tells installations apart
  plan::Tools states;             // what the choice of a route needs to know of the tools

  ToolVersion nvrtc_version() const { return {"NVRTC", nvrtc->version().text()}; }
  ToolVersion nvjitlink_version() const { return {"nvJitLink", nvjitlink->version().text()}; }
  ToolVersion driver_version() const { return {"CUDA driver", driver->version().text()}; }
};

// Which tools of a toolkit to open:
//
//     All        NVRTC and nvJitLink
//     Compiler   NVRTC. If nvJitLink is not open yet but its file exists, it counts as available, of NVRTC's version
//     Linker     nvJitLink, for a pack; NVRTC too if graft's own LTO-IR must be compiled again for this nvJitLink
//     Nothing    for a finished kernel
enum class ToolNeeds { All, Compiler, Linker, Nothing };

// Opens the tools that the choice of a route can depend on: no host compiler for a GPU kernel, and no toolkit for a
// host kernel.
OpenTools open_tools(const RouteChoice& choice, const Toolbox& tools, ToolNeeds needs = ToolNeeds::All);

// Opens NVRTC only, if there is one. Does not throw.
OpenTools open_nvrtc_alone(const Toolbox& tools);

// Opens NVRTC only, and requires that it compiles for these architectures. Throws Error: ToolMissing, ToolTooOld.
OpenTools open_compiler(const Toolbox& tools, const std::vector<Architecture>& architectures);

}  // namespace graft::compile
