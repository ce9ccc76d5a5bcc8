#include "build/host_route.hpp"

#include "base/format.hpp"
#include "build/host_image.hpp"
#include "build/kernel_report.hpp"
#include "build/stopwatch.hpp"
#include "core/image_data.hpp"

namespace graft::building {
namespace {

// The loop is as exact as the compiler makes it: no contraction, whatever was asked for.
void note_what_has_no_effect(const Options& options, Report& report) {
  const auto note = [&](bool asked, const char* option) {
    if (asked) report.notes.push_back(base::format("Options::{} has no effect on the host route", option));
  };
  FloatingPoint exact;
  exact.contraction = options.floating_point.contraction;  // off is what the host does anyway
  note(!(options.floating_point == exact), "floating_point");
  note(options.max_registers != 0, "max_registers");
  note_policy_without_effect(options.policy, report);
}

}  // namespace

void build_host_route(const SourceProgram& program, const Options& options, const OpenTools& tools,
                      Image::Data& image) {
  Report& report = image.report;
  Stopwatch watch(report);
  report.versions = {{"host compiler", tools.host_compiler->version()}};
  HostImage made = compile_host_image(program, options, *tools.host_compiler, report.versions);
  watch.step("compile");

  report.kernel.name = reflect::kernel_name(program.parts);
  report.kernel.signature = std::move(made.signature);
  report.kernel.shared_bytes = options.shared_bytes;
  report.policy_reason = "the host route runs a plain loop";
  note_what_has_no_effect(options, report);
  report.compiler_log = std::move(made.log);
  report.source = std::move(made.source);
  image.bytes = std::move(made.object);
  report.image_bytes = image.bytes.size();
}

}  // namespace graft::building
