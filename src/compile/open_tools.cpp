// Opens tools and records the result in OpenTools::states: for each tool either that it is open, or why it is not.
// plan::choose_route reads the states.
#include "compile/open_tools.hpp"

#include <algorithm>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "format/ltoir.hpp"

namespace graft::compile {
namespace {

// The version of CUDA with which the LTO-IR of graft's building blocks was compiled.
Version building_block_version() {
  const auto block = format::read_ltoir(base::as_bytes(base::embedded_file("elementwise/transform.ltoir")));
  return block ? block->producer() : Version{};
}

template <class Tool>
plan::ToolState state_of(const Tool* tool, std::string why) {
  return tool == nullptr ? plan::ToolState{false, std::move(why), {}, {}}
                         : plan::ToolState{true, {}, tool->version(), {}};
}

void open_nvrtc(const toolchain::Toolkit& toolkit, OpenTools& open) {
  std::string why;
  open.nvrtc = toolkit.nvrtc(why);
  open.states.nvrtc = state_of(open.nvrtc.get(), why);
  if (open.nvrtc) open.states.nvrtc.architectures = open.nvrtc->architectures();
  open.headers = toolkit.include_folder();
}

void open_nvjitlink(const toolchain::Toolkit& toolkit, OpenTools& open) {
  std::string why;
  open.nvjitlink = toolkit.nvjitlink(why);
  open.states.nvjitlink = state_of(open.nvjitlink.get(), why);
}

void expect_nvjitlink(const toolchain::Toolkit& toolkit, OpenTools& open) {
  if (!open.nvrtc || !toolkit.expects_nvjitlink(open.nvjitlink)) return open_nvjitlink(toolkit, open);
  open.states.nvjitlink = {};
  open.states.nvjitlink.available = true;
  open.states.nvjitlink.version = open.nvjitlink ? open.nvjitlink->version() : open.nvrtc->version();
}

// Calls `open_some`, which opens tools, until all opened tools are from the same installation, because graft never uses
// tools of two installations together. One call may not be enough: if a tool cannot be loaded, the toolkit chooses
// another installation, and the tools that were opened before are from the first one.
template <class OpenSome>
void open_of_one(const toolchain::Toolkit& toolkit, OpenTools& open, OpenSome open_some) {
  do {
    open.choice = toolkit.choice();
    open_some();
    open.origin = toolkit.origin();
  } while (open.choice != toolkit.choice());
}

void open_toolkit(const toolchain::Toolkit& toolkit, OpenTools& open, ToolNeeds needs) {
  open.states.nvrtc.why_not = open.states.nvjitlink.why_not = "not looked for, since the callback is already compiled";
  if (needs == ToolNeeds::Nothing) return;
  open_of_one(toolkit, open, [&] {
    switch (needs) {
      case ToolNeeds::All:
        // Open the tools one after the other, which takes 13 ms. Opening both in parallel takes 16 ms, because both
        // threads wait for the loader's lock.
        open_nvrtc(toolkit, open);
        open_nvjitlink(toolkit, open);
        break;
      case ToolNeeds::Compiler:
        open_nvrtc(toolkit, open);
        expect_nvjitlink(toolkit, open);
        break;
      case ToolNeeds::Linker:
        open_nvjitlink(toolkit, open);
        if (open.nvjitlink && !plan::takes_building_blocks(open.nvjitlink->version(), open.states.block))
          open_nvrtc(toolkit, open);
        break;
      case ToolNeeds::Nothing:
        break;
    }
  });
}

}  // namespace

OpenTools open_tools(const RouteChoice& choice, const Toolbox& tools, ToolNeeds needs) {
  OpenTools open;
  std::string why;
  if (choice.required == Route::Host) {
    open.host_compiler = tools.host_compiler(why);
    open.states.host_compiler = {open.host_compiler != nullptr, why, {}, {}};
    return open;
  }
  open.states.block = building_block_version();
  open_toolkit(tools.toolkit(), open, needs);
  open.driver = tools.driver(why);
  open.states.driver = state_of(open.driver, why);
  return open;
}

OpenTools open_nvrtc_alone(const Toolbox& tools) {
  OpenTools open;
  open_of_one(tools.toolkit(), open, [&] { open_nvrtc(tools.toolkit(), open); });
  return open;
}

OpenTools open_compiler(const Toolbox& tools, const std::vector<Architecture>& architectures) {
  OpenTools open = open_nvrtc_alone(tools);
  if (!open.nvrtc)
    fail(ErrorCode::ToolMissing, open.states.nvrtc.why_not,
         "Install the CUDA toolkit (or NVIDIA's wheel nvidia-cuda-nvrtc), or "
         "set GRAFT_CUDA_PATH to where it is.");
  const std::vector<int>& known = open.states.nvrtc.architectures;
  for (const Architecture architecture : architectures)
    if (!known.empty() && std::ranges::find(known, architecture.number) == known.end())
      fail(ErrorCode::ToolTooOld,
           base::format("NVRTC {} does not compile for {}", open.nvrtc->version().text(), architecture.sm()),
           "Install a newer CUDA toolkit, or point GRAFT_CUDA_PATH to one.", {}, {open.nvrtc_version()});
  return open;
}

}  // namespace graft::compile
