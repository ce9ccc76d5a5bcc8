#include "build/lto_route.hpp"

#include <utility>

#include "base/format.hpp"
#include "build/best_body.hpp"
#include "build/device_compile.hpp"
#include "build/kernel_report.hpp"
#include "build/lto_link.hpp"
#include "build/plain_program.hpp"
#include "core/image_data.hpp"
#include "kernel/policy.hpp"

namespace graft::building {
namespace {

using kernel::Policy;
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

Adapted adapt(const SourceProgram& program, Architecture architecture, const Options& options, const OpenTools& tools,
              Stopwatch& watch) {
  const DeviceCompiler compiler(program, architecture, options, tools);
  const auto policy_for = [&](const Signature& signature) {
    return kernel::choose_policy(signature, architecture, options.policy, program.scan.mentions_long_math);
  };
  const auto plain = [&](const Signature& signature, const Policy& policy, TypesFrom types) -> std::optional<Adapted> {
    std::optional<Compiled> compiled = compiler.plain(signature, types, policy, CodeKind::LtoIr);
    watch.step("compile");
    if (!compiled) return std::nullopt;
    return Adapted{std::move(*compiled), policy, true};
  };
  const auto general = [&](bool is_second) {
    Compiled compiled = compiler.ltoir();
    watch.step("compile");
    Policy policy = policy_for(compiled.signature);
    policy.single_below = 0;
    return Adapted{std::move(compiled), std::move(policy), false, is_second};
  };
  const std::optional<Signature> shown = plain_signature(program, options);
  if (shown) {
    const Policy policy = policy_for(*shown);
    if (!fits_plain_program(*shown, policy)) return general(false);
    if (std::optional<Adapted> adapted = plain(*shown, policy, TypesFrom::Text)) return std::move(*adapted);
  }
  if (!can_be_plain(program)) return general(shown.has_value());
  const Signature signature = compiler.signature();
  watch.step("read signature");
  const Policy policy = policy_for(signature);
  if (!fits_plain_program(signature, policy)) return general(shown.has_value());
  std::optional<Adapted> adapted = plain(signature, policy, TypesFrom::Compiler);
  if (!adapted) return general(true);
  adapted->is_second = shown.has_value();
  return std::move(*adapted);
}

// An identity callback makes about 8 kB of LTO-IR. Size alone says little (an unrolled loop of sinf: 4.7 kB, 4 s),
// hence the pragma.
bool looks_heavy(const Compiled& compiled, const SourceProgram& program, const Callback& callback) {
  constexpr std::size_t kLargeLtoIr = 40'000;
  const std::size_t binary = callback.form() == Form::Source ? 0 : callback.bytes().size();
  return program.scan.has_unroll_pragma || compiled.code.size() + binary > kLargeLtoIr;
}

void link_lto(const CallbackRequest& request, const OpenTools& tools, Adapted adapted, Image::Data& image) {
  const auto& [callback, program, binary, architecture, options] = request;
  Report& report = image.report;
  Stopwatch watch(report);
  Compiled& compiled = adapted.compiled;
  const LtoLinker linker(link_request(adapted, program, binary, architecture, options), tools);
  const BodyRequest body = {looks_heavy(compiled, program, callback), options.policy.body.has_value()};
  Linked linked =
      make_best([&](const Policy& wanted) { return linker.link(wanted); }, body, "link", adapted.policy, watch);
  linker.describe(report);
  if (adapted.is_second) report.notes.emplace_back(kCompiledTwice);
  report.compiler_log = std::move(compiled.log);
  report.source = std::move(compiled.source);
  fill_image(image, {program, compiled.signature, architecture, adapted.policy, options}, std::move(linked));
}

void build_lto(const CallbackRequest& request, const OpenTools& tools, Image::Data& image) {
  Stopwatch watch(image.report);
  Adapted adapted = adapt(request.program, request.architecture, request.options, tools, watch);
  link_lto(request, tools, std::move(adapted), image);
}

std::string lto_kernel_ptx(const Callback& callback, Architecture architecture, const Options& options,
                           const Toolbox& toolbox) {
  const OpenTools tools = open_tools({}, toolbox);
  const SourceProgram program = prepare_program(callback, options);
  const CallbackImage binary = examine(callback, architecture);
  Report report;
  Stopwatch watch(report);
  const Adapted adapted = adapt(program, architecture, options, tools, watch);
  const LtoLinker linker(link_request(adapted, program, binary, architecture, options), tools);
  return std::string(base::as_text(linker.link(adapted.policy, LinkOutput::Ptx).code));
}

}  // namespace graft::building
