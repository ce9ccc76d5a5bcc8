#include "build/lto_route.hpp"

#include <fmt/format.h>

#include <utility>

#include "build/best_body.hpp"
#include "build/device_compile.hpp"
#include "build/kernel_report.hpp"
#include "build/lto_link.hpp"
#include "plan/policy.hpp"

namespace graft::building {
namespace {

using plan::Policy;
using toolchain::LinkInputKind;
using toolchain::LinkOutput;

LtoLinkRequest link_request(const Compiled& compiled, const SourceProgram& program, const CallbackImage& callback,
                            Architecture architecture, const Options& options) {
  LtoLinkRequest request{
      {{LinkInputKind::LtoIr, compiled.code, program.title}}, program, callback, architecture, options};
  request.inputs.insert(request.inputs.end(), callback.inputs.begin(), callback.inputs.end());
  return request;
}

}  // namespace

// An identity callback makes about 8 kB of LTO-IR. Size alone says little (an unrolled loop of sinf: 4.7 kB, 4 s),
// hence the pragma.
bool looks_heavy(const Compiled& compiled, const SourceProgram& program, const Callback& callback) {
  constexpr std::size_t kLargeLtoIr = 40'000;
  const std::size_t binary = callback.form() == Form::Source ? 0 : callback.bytes().size();
  return program.scan.has_unroll_pragma || compiled.code.size() + binary > kLargeLtoIr;
}

void build_lto(const CallbackRequest& request, const OpenTools& tools, Image::Data& image) {
  const auto& [callback, binary, architecture, options] = request;
  Report& report = image.report;
  Stopwatch watch(report);
  const SourceProgram program = prepare_program(callback, options);
  watch.step("scan");
  Compiled compiled = DeviceCompiler(program, architecture, options, tools).ltoir();
  watch.step("compile");

  Policy policy =
      plan::choose_policy(compiled.signature, architecture, options.policy, program.scan.mentions_long_math);
  const LtoLinker linker(link_request(compiled, program, binary, architecture, options), tools);
  const BodyRequest body = {looks_heavy(compiled, program, callback), options.policy.body.has_value()};
  Linked linked = make_best([&](const Policy& wanted) { return linker.link(wanted); }, body, "link", policy, watch);
  linker.describe(report);
  report.compiler_log = std::move(compiled.log);
  report.source = std::move(compiled.source);
  fill_image(image, {program, compiled.signature, architecture, policy}, std::move(linked));
}

std::string lto_kernel_ptx(const Callback& callback, Architecture architecture, const Options& options,
                           const Toolbox& toolbox) {
  const OpenTools tools = open_tools({}, toolbox);
  const SourceProgram program = prepare_program(callback, options);
  const CallbackImage binary = examine(callback, architecture);
  const Compiled compiled = DeviceCompiler(program, architecture, options, tools).ltoir();
  const Policy policy =
      plan::choose_policy(compiled.signature, architecture, options.policy, program.scan.mentions_long_math);
  const LtoLinker linker(link_request(compiled, program, binary, architecture, options), tools);
  return std::string(base::as_text(linker.link(policy, LinkOutput::Ptx).code));
}

}  // namespace graft::building
