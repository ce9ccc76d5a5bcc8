#include "build/lto_link.hpp"

#include <utility>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "build/device_compile.hpp"
#include "build/flags.hpp"
#include "build/link_error.hpp"
#include "format/ltoir.hpp"
#include "plan/route.hpp"

namespace graft::building {
namespace {

using kernel::Policy;
using toolchain::LinkInputKind;

toolchain::LinkInput embedded_input(const std::string& file) {
  return {LinkInputKind::LtoIr, base::as_bytes(base::embedded_file(file)), file};
}

// `has_tile`: the adapter says itself what a thread does.
std::vector<toolchain::LinkInput> shipped_block(const Policy& policy, bool has_tile) {
  std::vector<toolchain::LinkInput> inputs = {embedded_input("transform.ltoir")};
  if (!has_tile) inputs.push_back(embedded_input("tile.ltoir"));
  for (const Tuning::Decision& answer : kernel::answers(policy, has_tile))
    inputs.push_back(embedded_input(base::format("policy/{}_{}.ltoir", answer.name, answer.value)));
  return inputs;
}

}  // namespace

LtoLinker::LtoLinker(LtoLinkRequest request, const OpenTools& tools)
    : request_(std::move(request)),
      tools_(tools),
      kernel_(reflect::kernel_name(request_.program.parts)),
      flags_(link_flags(request_.options, request_.architecture)),
      rebuilds_block_(!plan::takes_block(tools.nvjitlink->version(), tools.states.block)) {}

std::vector<ToolVersion> LtoLinker::versions() const {
  std::vector<ToolVersion> versions;
  if (tools_.nvrtc) versions.push_back(tools_.nvrtc_version());
  versions.push_back(tools_.nvjitlink_version());
  return versions;
}

void LtoLinker::describe(Report& report) const {
  report.versions = versions();
  if (rebuilds_block_)
    report.notes.push_back(base::format("NVRTC {} compiled the block anew: graft's own is of another CUDA version",
                                        tools_.nvrtc->version().text()));
}

Linked LtoLinker::link(const Policy& policy, toolchain::LinkOutput output) const {
  toolchain::LinkRequest link{request_.inputs, flags_, output};
  base::Bytes rebuilt;
  if (rebuilds_block_) {
    rebuilt = DeviceCompiler(request_.program, request_.architecture, request_.options, tools_)
                  .block(policy, request_.has_tile);
    link.inputs.push_back({LinkInputKind::LtoIr, rebuilt, "graft/transform.cu"});
  } else {
    const std::vector<toolchain::LinkInput> shipped = shipped_block(policy, request_.has_tile);
    link.inputs.insert(link.inputs.end(), shipped.begin(), shipped.end());
  }
  toolchain::LinkResult result = tools_.nvjitlink->link(link);
  if (!result.ok)
    throw link_error({request_.program, request_.callback, request_.architecture, result.failure,
                      result.error_log + result.info_log, versions()});
  return read_linked(std::move(result.code), std::move(result.info_log), kernel_);
}

toolchain::Version block_version() {
  const auto block = format::read_ltoir(base::as_bytes(base::embedded_file("transform.ltoir")));
  return block ? block->producer() : toolchain::Version{};
}

}  // namespace graft::building
