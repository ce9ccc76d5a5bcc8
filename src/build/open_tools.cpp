#include "build/open_tools.hpp"

#include <future>

namespace graft::building {
namespace {

template <class Tool>
plan::ToolState state_of(const Tool* tool, std::string why) {
  return tool == nullptr ? plan::ToolState{false, std::move(why), {}, {}}
                         : plan::ToolState{true, {}, tool->version(), {}};
}

void open_toolkit(const toolchain::Toolkit& toolkit, OpenTools& open) {
  // The linker is opened beside the compiler: 4 ms that nobody waits for.
  std::string why_no_linker;
  auto linker = std::async(std::launch::async, [&] { return toolkit.nvjitlink(why_no_linker); });
  std::string why;
  open.nvrtc = toolkit.nvrtc(why);
  open.states.nvrtc = state_of(open.nvrtc.get(), why);
  if (open.nvrtc) open.states.nvrtc.architectures = open.nvrtc->architectures();
  open.nvjitlink = linker.get();
  open.states.nvjitlink = state_of(open.nvjitlink.get(), why_no_linker);
  open.headers = toolkit.include_folder();
  open.origin = toolkit.origin();
}

}  // namespace

OpenTools open_tools(const RouteChoice& choice, const Toolbox& tools) {
  OpenTools open;
  std::string why;
  if (choice.required == Route::Host) {
    open.host_compiler = tools.host_compiler(why);
    open.states.host_compiler = {open.host_compiler != nullptr, why, {}, {}};
    return open;
  }
  open_toolkit(tools.toolkit(), open);
  open.driver = toolchain::Driver::find(why);
  open.states.driver = state_of(open.driver, why);
  return open;
}

}  // namespace graft::building
