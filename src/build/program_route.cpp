#include "build/program_route.hpp"

#include <utility>

#include "build/best_body.hpp"
#include "build/device_compile.hpp"
#include "build/kernel_report.hpp"
#include "build/plain_program.hpp"

namespace graft::building {
namespace {

// What the front end alone says: the signature, and whether the callback's text shows it.
struct Reading {
  Signature signature;
  bool is_plain = false;
};

Reading read(const DeviceCompiler& compiler, const SourceProgram& program, const Options& options) {
  if (std::optional<Signature> plain = plain_signature(program, options))
    if (compiler.agrees(*plain)) return {std::move(*plain), true};
  return {compiler.signature()};
}

}  // namespace

void build_program(const CallbackRequest& request, const OpenTools& tools, Image::Data& image) {
  const Callback& callback = request.callback;
  const Architecture architecture = request.architecture;
  const Options& options = request.options;
  Report& report = image.report;
  Stopwatch watch(report);
  const SourceProgram program = prepare_program(callback, options);
  const DeviceCompiler compiler(program, architecture, options, tools);
  watch.step("scan");
  const Reading reading = read(compiler, program, options);
  watch.step("read signature");

  const std::string kernel = reflect::kernel_name(program.parts);
  const auto make = [&](const plan::Policy& policy) {
    std::optional<Compiled> plain;
    if (reading.is_plain && fits_plain_program(reading.signature, policy))
      plain = compiler.plain(reading.signature, policy, CodeKind::Cubin);
    Compiled compiled = plain ? std::move(*plain) : compiler.kernel(policy, CodeKind::Cubin);
    report.compiler_log = std::move(compiled.log);
    report.source = std::move(compiled.source);
    return read_linked(std::move(compiled.code), std::move(compiled.ptxas_log), kernel);
  };
  plan::Policy policy =
      plan::choose_policy(reading.signature, architecture, options.policy, program.scan.mentions_long_math);
  if (!reading.is_plain || !fits_plain_program(reading.signature, policy)) policy.single_below = 0;
  const BodyRequest body = {program.scan.has_unroll_pragma, options.policy.body.has_value()};
  Linked linked = make_best(make, body, "compile", policy, watch);
  report.versions = {tools.nvrtc_version()};
  fill_image(image, {program, reading.signature, architecture, policy}, std::move(linked));
}

}  // namespace graft::building
