// The tools that one request may use, opened; and for each that is missing, why.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "build/toolbox.hpp"
#include "graft/error.hpp"
#include "plan/route.hpp"
#include "toolchain/driver.hpp"

namespace graft::building {

// Pointers are null where a tool is missing or was not looked for.
struct OpenTools {
  std::shared_ptr<const toolchain::Nvrtc> nvrtc;
  std::shared_ptr<const toolchain::NvJitLink> nvjitlink;
  std::shared_ptr<const toolchain::HostCompiler> host_compiler;
  const toolchain::Driver* driver = nullptr;
  std::filesystem::path headers;  // the toolkit's own, or empty
  std::string origin;             // the toolkit's
  unsigned choice = 0;            // Toolkit::choice: all of these tools are of one installation
  plan::Tools states;             // as the choice of a route sees them

  ToolVersion nvrtc_version() const { return {"NVRTC", nvrtc->version().text()}; }
  ToolVersion nvjitlink_version() const { return {"nvJitLink", nvjitlink->version().text()}; }
  ToolVersion driver_version() const { return {"CUDA driver", driver->version().text()}; }
};

// What of a toolkit is opened. For source and other callbacks all of it; of a pack the linker, and a compiler only
// where graft's own LTO-IR must be made anew for that; of a finished kernel nothing. `Compiler` opens NVRTC; where
// nvJitLink is not open yet, it is taken for one that can be opened, of the same version, as its file looks.
enum class ToolNeeds { All, Compiler, Linker, Nothing };

// Opens what the choice can depend on: a host compiler need not exist for a GPU kernel, nor a toolkit for a host one.
OpenTools open_tools(const RouteChoice& choice, const Toolbox& tools, ToolNeeds needs = ToolNeeds::All);

// NVRTC alone, if there is one. Throws nothing.
OpenTools open_nvrtc_alone(const Toolbox& tools);

// A toolkit's compiler for these architectures. Throws Error: ToolMissing, ToolTooOld.
OpenTools open_compiler(const Toolbox& tools, const std::vector<Architecture>& architectures);

}  // namespace graft::building
