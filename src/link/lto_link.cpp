// nvJitLink accepts LTO-IR of its own CUDA major version that is not newer than itself. If it accepts no copy of
// graft's building blocks (plan::choose_building_blocks), NVRTC compiles them again from their source.
#include "link/lto_link.hpp"

#include <deque>
#include <utility>

#include "base/embedded.hpp"
#include "base/format.hpp"
#include "compile/device_compile.hpp"
#include "compile/flags.hpp"
#include "families/registry.hpp"
#include "format/ltoir.hpp"
#include "link/link_error.hpp"
#include "link/ptx_text.hpp"
#include "plan/route.hpp"

namespace graft::link {
namespace {

using toolchain::LinkInputKind;

toolchain::LinkInput embedded_input(std::size_t copy, const std::string& file) {
  const std::string name = std::string(base::kBlockFolders[copy]) + file;
  return {LinkInputKind::LtoIr, base::as_bytes(base::embedded_file(name)), name};
}

// A link input that is PTX is assembled in this link. The kernel's own limit of registers (__maxnreg__) does not apply
// to the functions that the kernel calls.
std::vector<std::string> flags_of(const LtoLinkRequest& request) {
  std::vector<std::string> flags = compile::link_flags(request.options, request.architecture);
  if (request.callback.link_input_count != 0 && request.options.max_registers != 0)
    flags.push_back(base::format("-maxrregcount={}", request.options.max_registers));
  return flags;
}

}  // namespace

LtoLinkRequest link_request(const CallbackRequest& request, std::span<const std::byte> compiled) {
  LtoLinkRequest link{{{LinkInputKind::LtoIr, compiled, request.program.title}},
                      request.program,
                      request.binary,
                      request.architecture,
                      request.options};
  link.inputs.insert(link.inputs.end(), request.binary.inputs.begin(), request.binary.inputs.end());
  return link;
}

LtoLinker::LtoLinker(LtoLinkRequest request, const compile::OpenTools& tools)
    : request_(std::move(request)),
      tools_(tools),
      flags_(flags_of(request_)),
      copy_(plan::choose_building_blocks(tools.nvjitlink->version(), tools.states.blocks)) {}

std::vector<ToolVersion> LtoLinker::versions() const {
  std::vector<ToolVersion> versions;
  if (tools_.nvrtc) versions.push_back(tools_.nvrtc_version());
  versions.push_back(tools_.nvjitlink_version());
  return versions;
}

void LtoLinker::describe(Report& report, const KernelSpec& kernel) const {
  report.versions = versions();
  if (!copy_ && !families::of(kernel.family).blocks(kernel).empty())
    report.notes.push_back(base::format(
        "NVRTC {} recompiled graft's building block, because another CUDA version compiled the shipped one",
        tools_.nvrtc->version().text()));
}

Linked LtoLinker::link(const KernelSpec& kernel, toolchain::LinkOutput output) const {
  std::deque<std::string> texts;
  toolchain::LinkRequest link{with_untyped_parameters(request_.inputs, texts), flags_, output};
  const families::Family& family = families::of(kernel.family);
  const std::vector<std::string> blocks = family.blocks(kernel);
  base::Bytes rebuilt;
  if (!copy_ && !blocks.empty()) {
    rebuilt = compile::DeviceCompiler(request_.program, request_.architecture, request_.options, tools_)
                  .own(family.building_block_text(kernel));
    link.inputs.push_back({LinkInputKind::LtoIr, rebuilt, "graft/" + blocks.front()});
  } else {
    for (const std::string& file : blocks) link.inputs.push_back(embedded_input(copy_.value_or(0), file));
  }
  toolchain::LinkResult result = tools_.nvjitlink->link(link);
  const FailedLink failed = {
      request_.program, request_.callback, request_.architecture, result.failure, result.error_log + result.info_log,
      versions()};
  if (!result.ok || reports_mismatch(result.error_log)) throw link_error(failed);
  check_variables(failed);
  return read_linked(std::move(result.code), std::move(result.info_log), kernel.name);
}

}  // namespace graft::link
