#include "build/kernel_report.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "core/image_data.hpp"

namespace graft::building {

void list_call(LinkFindings& findings, const std::string& entry) {
  if (findings.remaining_calls.empty()) findings.remaining_calls.push_back(entry.empty() ? "lambda" : entry);
}

void note_policy_without_effect(const PolicyOverrides& policy, Report& report) {
  PolicyOverrides::visit_fields([&](const char* name, auto member) {
    if (policy.*member)
      report.notes.push_back(
          base::format("Options::policy.{} has no effect on the {} route", name, graft::name(report.kernel.route)));
  });
}

namespace {

void note_calls(Report& report, const LinkFindings& findings) {
  // The block of the indirect route calls every callback so.
  const bool has_pointers = findings.calls_through_pointer && report.kernel.route != Route::Indirect;
  if (has_pointers) report.remaining_calls.emplace_back(kThroughPointer);
  if (!report.inlined())
    report.notes.emplace_back("a function of the callback was not inlined: each element pays for a call");
  if (has_pointers)
    report.notes.emplace_back(
        "the callback calls through a pointer: no linker can inline such a call, or know how much stack it takes");
  if (findings.has_recursion)
    report.notes.emplace_back("the callback calls itself: the tools cannot know how much stack that takes");
}

// Of a rolled kernel that was asked for, and of one that was taken because the vector body is too heavy.
void note_rolled(const PolicyOverrides& asked, const kernel::Policy& policy, Report& report) {
  if (report.kernel.route == Route::Indirect) return;
  for (const std::string& name : kernel::without_effect(asked, policy))
    report.notes.push_back(base::format(
        "Options::policy.{} has no effect on a rolled kernel: each of its threads handles one element at a time",
        name));
}

}  // namespace

void fill_image(Image::Data& image, const KernelFacts& facts, Linked linked) {
  Report& report = image.report;
  report.kernel.name = reflect::kernel_name(facts.program.parts);
  report.kernel.architecture = facts.architecture;
  report.kernel.signature = facts.signature;
  report.kernel.tuning = kernel::tuning_of(facts.policy);
  report.kernel.floating_point = facts.options.floating_point;
  report.kernel.max_registers = facts.options.max_registers;
  report.kernel.shared_bytes = facts.options.shared_bytes;
  report.shape = facts.policy.text();
  report.policy_reason = facts.policy.reason;
  report.resources = linked.findings.resources;
  report.remaining_calls = std::move(linked.findings.remaining_calls);
  report.cuda_helpers = std::move(linked.findings.cuda_helpers);
  note_calls(report, linked.findings);
  note_rolled(facts.options.policy, facts.policy, report);
  for (const std::string& word : facts.program.scan.thread_words)
    report.notes.push_back(
        base::format("`{}` in a callback: which threads run the callback together, and for which elements, differs "
                     "between routes and at the end of an array",
                     word));
  report.linker_log = std::move(linked.log);
  image.bytes = std::move(linked.code);
  report.image_bytes = image.bytes.size();
}

}  // namespace graft::building
