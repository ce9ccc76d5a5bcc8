// The host route: a C++ compiler compiles callback and adapter for the CPU. It serves machines and tests without a GPU.
#include "routes/routes.hpp"

#include "base/format.hpp"
#include "compile/host_image.hpp"
#include "core/compiler_options.hpp"
#include "routes/kernel_report.hpp"

namespace graft::routes {
namespace {

// Adds notes on options that the host route ignores. The host route always compiles with exact arithmetic and without
// contraction.
void note_what_has_no_effect(const Options& options, Report& report) {
  const auto note = [&](bool asked, const char* option) {
    if (asked) report.notes.push_back(base::format("Options::{} has no effect on the host route", option));
  };
  FloatingPoint exact;
  // Contraction gets no note. If it is on, as it is by default, the compiler may contract but need not. If it is off,
  // the host route does what was asked.
  exact.contraction = options.floating_point.contraction;
  note(!(options.floating_point == exact), "floating_point");
  note(options.max_registers != 0, "max_registers");
  for (const std::string& option : canonical_compiler_options(options.compiler_options))
    if (!holds_on_the_host(option))
      report.notes.push_back(base::format("the compiler option {} has no effect on the host route", option));
}

}  // namespace

void build_host_route(const codegen::SourceProgram& program, const Options& options, const compile::OpenTools& tools,
                      Image::Data& image) {
  Report& report = image.report;
  Stopwatch watch(report);
  report.versions = {{"host compiler", tools.host_compiler->version()}};
  compile::HostImage made = compile::compile_host_image(program, options, *tools.host_compiler, report.versions);
  watch.step("compile");

  families::Decided decided = families::decide({program, made.signature, {}, Route::Host, options});
  report.shape = decided.family().describe(decided.kernel);
  report.kernel = std::move(decided.kernel);
  report.policy_reason = std::move(decided.reason);
  note_what_has_no_effect(options, report);
  note_read_outputs(program, report);
  const families::Family& family = families::of(report.kernel.family);
  for (std::string& note : family.notes_on(options.policy, report.kernel)) report.notes.push_back(std::move(note));
  for (std::string& note : family.notes_on_text(program)) report.notes.push_back(std::move(note));
  report.compiler_log = std::move(made.log);
  report.source = std::move(made.source);
  image.bytes = std::move(made.object);
  report.image_bytes = image.bytes.size();
}

}  // namespace graft::routes
