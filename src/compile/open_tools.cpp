// Opens tools and records the result in OpenTools::states: for each tool either that it is open, or why it is not.
// plan::choose_route reads the states.
#include "compile/open_tools.hpp"

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "format/ltoir.hpp"
#include "plan/architectures.hpp"

namespace graft::compile {
namespace {

// The versions of CUDA with which the copies of the LTO-IR of graft's building blocks were compiled. The canary
// (optimiser_check.hpp) is compiled with the building blocks of all families.
std::vector<Version> building_block_versions() {
  std::vector<Version> versions;
  for (const std::string_view folder : base::kBlockFolders) {
    const std::string name = base::format("{}canary.ltoir", folder);
    const auto block = format::read_ltoir(base::as_bytes(base::embedded_file(name)));
    if (block) versions.push_back(block->producer());
  }
  return versions;
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
        if (open.nvjitlink && !plan::choose_building_blocks(open.nvjitlink->version(), open.states.blocks))
          open_nvrtc(toolkit, open);
        break;
      case ToolNeeds::LinkerAlone:
        open_nvjitlink(toolkit, open);
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
  open.states.blocks = building_block_versions();
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
  for (const Architecture architecture : architectures) {
    if (plan::compiles_for(open.states.nvrtc, architecture)) continue;
    const std::optional<Architecture> renamed = plan::new_name(open.nvrtc->version(), architecture);
    fail(renamed ? ErrorCode::InvalidArgument : ErrorCode::ToolTooOld,
         plan::does_not_compile_for(open.states.nvrtc, architecture),
         renamed ? base::format("Build for {}.", renamed->sm())
                 : plan::remedy_for_old_tools({}, plan::first_version(architecture).value_or(Version{})),
         {}, {open.nvrtc_version()});
  }
  return open;
}

}  // namespace graft::compile
