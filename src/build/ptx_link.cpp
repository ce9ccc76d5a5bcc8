#include "build/ptx_link.hpp"

#include <utility>

#include "build/flags.hpp"
#include "build/link_error.hpp"
#include "toolchain/driver_linker.hpp"

namespace graft::building {
namespace {

bool uses_driver(const PtxLinkRequest& request, const OpenTools& tools) {
  return plan::choose_ptx_linker(tools.states, request.made_by, request.architecture) == plan::PtxLinker::Driver;
}

toolchain::LinkResult link(const PtxLinkRequest& request, const OpenTools& tools) {
  if (uses_driver(request, tools))
    return toolchain::link_with_driver(*tools.driver,
                                       {request.inputs, request.architecture, request.options.line_info});
  return tools.nvjitlink->link({request.inputs, link_flags(request.options, request.architecture, CodeKind::Ptx)});
}

}  // namespace

ToolVersion ptx_linker_version(const PtxLinkRequest& request, const OpenTools& tools) {
  return uses_driver(request, tools) ? tools.driver_version() : tools.nvjitlink_version();
}

Linked link_ptx(const PtxLinkRequest& request, const OpenTools& tools) {
  toolchain::LinkResult result = link(request, tools);
  if (!result.ok)
    throw link_error({request.program,
                      request.callback,
                      request.architecture,
                      result.failure,
                      result.error_log + result.info_log,
                      {ptx_linker_version(request, tools)}});
  LinkFindings findings = parse_link_log(result.info_log, request.kernel);
  return {std::move(result.code), std::move(result.info_log), std::move(findings)};
}

}  // namespace graft::building
