#include "build/kernel_report.hpp"

#include <string_view>
#include <utility>

#include "base/format.hpp"

namespace graft::building {

void list_call(LinkFindings& findings, const std::string& entry) {
  if (findings.remaining_calls.empty()) findings.remaining_calls.push_back(entry.empty() ? "lambda" : entry);
}

void note_policy_without_effect(const PolicyOverrides& policy, Report& report) {
  const std::pair<std::string_view, bool> overrides[] = {
      {"vector_width", policy.vector_width.has_value()},
      {"vectors_per_thread", policy.vectors_per_thread.has_value()},
      {"body", policy.body.has_value()},
      {"block_threads", policy.block_threads.has_value()},
      {"programmatic_launch", policy.programmatic_launch.has_value()},
  };
  for (const auto& [name, is_given] : overrides)
    if (is_given)
      report.notes.push_back(
          base::format("Options::policy.{} has no effect on the {} route", name, graft::name(report.route)));
}

namespace {

void note_calls(Report& report, const LinkFindings& findings) {
  // The block of the indirect route calls every callback so.
  const bool has_pointers = findings.calls_through_pointer && report.route != Route::Indirect;
  if (has_pointers) report.remaining_calls.emplace_back(kThroughPointer);
  if (!report.inlined())
    report.notes.emplace_back("a function of the callback was not inlined: each element pays for a call");
  if (has_pointers)
    report.notes.emplace_back(
        "the callback calls through a pointer: no linker can inline such a call, or know how much stack it takes");
  if (findings.has_recursion)
    report.notes.emplace_back("the callback calls itself: the tools cannot know how much stack that takes");
}

}  // namespace

void fill_image(Image::Data& image, const KernelFacts& facts, Linked linked) {
  Report& report = image.report;
  report.kernel_name = reflect::kernel_name(facts.program.parts);
  report.signature = facts.signature;
  report.architecture = facts.architecture;
  report.tuning = facts.policy;
  report.policy_reason = facts.policy.reason;
  report.resources = linked.findings.resources;
  report.remaining_calls = std::move(linked.findings.remaining_calls);
  report.cuda_helpers = std::move(linked.findings.cuda_helpers);
  note_calls(report, linked.findings);
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
