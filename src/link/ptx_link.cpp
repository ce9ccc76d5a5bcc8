// plan::choose_ptx_linker chooses between nvJitLink and the driver's linker. Both linkers get the same inputs, in which
// with_untyped_parameters() has replaced parameter types such as .f32 by .b32 (ptx_text.hpp). If contraction is off,
// nvJitLink gets a flag. The driver has no such option for PTX; it gets PTX whose products all have a rounding
// modifier.
#include "link/ptx_link.hpp"

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "compile/flags.hpp"
#include "link/link_error.hpp"
#include "link/ptx_text.hpp"
#include "toolchain/driver_linker.hpp"

namespace graft::link {
namespace {

bool uses_driver(const PtxLinkRequest& request, const compile::OpenTools& tools) {
  return plan::choose_ptx_linker(tools.states, request.made_by, request.architecture) == plan::PtxLinker::Driver;
}

toolchain::LinkResult link(const PtxLinkRequest& request, const compile::OpenTools& tools) {
  std::deque<std::string> texts;
  std::vector<toolchain::LinkInput> inputs = with_untyped_parameters(request.inputs, texts);
  if (uses_driver(request, tools)) {
    if (!request.options.floating_point.contraction) inputs = with_rounded_products(std::move(inputs), texts);
    return toolchain::link_with_driver(*tools.driver, {.inputs = inputs,
                                                       .architecture = request.architecture,
                                                       .line_info = request.options.line_info,
                                                       .max_registers = request.options.max_registers});
  }
  std::vector<std::string> flags = compile::link_flags(request.options, request.architecture, compile::CodeKind::Ptx);
  // The kernel's PTX limits the kernel's registers with .maxnreg. The flag sets the same limit for the functions that
  // the kernel calls.
  if (request.options.max_registers != 0)
    flags.push_back(base::format("-maxrregcount={}", request.options.max_registers));
  return tools.nvjitlink->link({inputs, flags});
}

}  // namespace

ToolVersion ptx_linker_version(const PtxLinkRequest& request, const compile::OpenTools& tools) {
  return uses_driver(request, tools) ? tools.driver_version() : tools.nvjitlink_version();
}

Linked link_ptx(const PtxLinkRequest& request, const compile::OpenTools& tools) {
  toolchain::LinkResult result = link(request, tools);
  if (!result.ok)
    throw link_error({request.program,
                      request.callback,
                      request.architecture,
                      result.failure,
                      result.error_log + result.info_log,
                      {ptx_linker_version(request, tools)}});
  return read_linked(std::move(result.code), std::move(result.info_log), request.kernel);
}

}  // namespace graft::link
