#include "build/lto_route.hpp"

#include <utility>

#include "base/format.hpp"
#include "build/best_body.hpp"
#include "build/device_compile.hpp"
#include "build/kernel_report.hpp"
#include "build/lto_link.hpp"
#include "build/plain_program.hpp"
#include "plan/policy.hpp"

namespace graft::building {
namespace {

using plan::Policy;
using toolchain::LinkInputKind;
using toolchain::LinkOutput;

LtoLinkRequest link_request(const Adapted& adapted, const SourceProgram& program, const CallbackImage& callback,
                            Architecture architecture, const Options& options) {
  LtoLinkRequest request{{{LinkInputKind::LtoIr, adapted.compiled.code, program.title}},
                         program,
                         callback,
                         architecture,
                         options,
                         adapted.has_tile};
  request.inputs.insert(request.inputs.end(), callback.inputs.begin(), callback.inputs.end());
  return request;
}

}  // namespace

Adapted adapt(const SourceProgram& program, Architecture architecture, const Options& options, const OpenTools& tools) {
  const DeviceCompiler compiler(program, architecture, options, tools);
  const auto policy_for = [&](const Signature& signature) {
    return plan::choose_policy(signature, architecture, options.policy, program.scan.mentions_long_math);
  };
  if (const std::optional<Signature> signature = plain_signature(program, options)) {
    const Policy policy = policy_for(*signature);
    if (fits_plain_program(*signature, policy))
      if (std::optional<Compiled> compiled = compiler.plain(*signature, policy, CodeKind::LtoIr))
        return {std::move(*compiled), policy, true};
  }
  Compiled compiled = compiler.ltoir();
  Policy policy = policy_for(compiled.signature);
  policy.single_below = 0;
  return {std::move(compiled), std::move(policy)};
}

// An identity callback makes about 8 kB of LTO-IR. Size alone says little (an unrolled loop of sinf: 4.7 kB, 4 s),
// hence the pragma.
bool looks_heavy(const Compiled& compiled, const SourceProgram& program, const Callback& callback) {
  constexpr std::size_t kLargeLtoIr = 40'000;
  const std::size_t binary = callback.form() == Form::Source ? 0 : callback.bytes().size();
  return program.scan.has_unroll_pragma || compiled.code.size() + binary > kLargeLtoIr;
}

void build_lto(const CallbackRequest& request, const OpenTools& tools, Image::Data& image,
               std::optional<Adapted> early) {
  const auto& [callback, binary, architecture, options] = request;
  Report& report = image.report;
  Stopwatch watch(report);
  const SourceProgram program = prepare_program(callback, options);
  if (!early) watch.step("scan");
  Adapted adapted = early ? std::move(*early) : adapt(program, architecture, options, tools);
  if (!early) watch.step("compile");

  Compiled& compiled = adapted.compiled;
  const LtoLinker linker(link_request(adapted, program, binary, architecture, options), tools);
  const BodyRequest body = {looks_heavy(compiled, program, callback), options.policy.body.has_value()};
  Linked linked =
      make_best([&](const Policy& wanted) { return linker.link(wanted); }, body, "link", adapted.policy, watch);
  linker.describe(report);
  report.compiler_log = std::move(compiled.log);
  report.source = std::move(compiled.source);
  fill_image(image, {program, compiled.signature, architecture, adapted.policy}, std::move(linked));
}

std::string lto_kernel_ptx(const Callback& callback, Architecture architecture, const Options& options,
                           const Toolbox& toolbox) {
  const OpenTools tools = open_tools({}, toolbox);
  const SourceProgram program = prepare_program(callback, options);
  const CallbackImage binary = examine(callback, architecture);
  const Adapted adapted = adapt(program, architecture, options, tools);
  const LtoLinker linker(link_request(adapted, program, binary, architecture, options), tools);
  return std::string(base::as_text(linker.link(adapted.policy, LinkOutput::Ptx).code));
}

}  // namespace graft::building
