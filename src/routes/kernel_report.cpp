// Fills in a report and writes its notes and reasons. Notes mention calls that were not inlined, requested tuning that
// had no effect, words in the callback (__syncthreads, ...) whose effect depends on which threads run together, and
// outputs that the callback reads, and slow arithmetic. A kernel that spills or is heavy has a reason for its body.
#include "routes/kernel_report.hpp"

#include <optional>
#include <string_view>
#include <utility>

#include "base/format.hpp"
#include "core/image_data.hpp"
#include "reflect/callback/mistakes.hpp"
#include "routes/slow_arithmetic.hpp"

namespace graft::routes {

void list_call(link::LinkFindings& findings, const std::string& entry) {
  if (findings.remaining_calls.empty()) findings.remaining_calls.push_back(entry.empty() ? "lambda" : entry);
}

void note_read_outputs(const codegen::SourceProgram& program, Report& report) {
  if (program.members.empty() && !program.parts.entry_is_expression)
    for (const std::string& name : reflect::outputs_read_first(program.parts.callback_text, program.parts.entry))
      report.notes.push_back(base::format(
          "`{}` is a `T&` output, which is zero on entry, and the callback changes it before it writes it: "
          "to update an array, take graft::InOut<T>",
          name));
}

std::string reason_of_spills(const link::LinkFindings& unrolled, std::string_view lighter_name,
                             const link::LinkFindings& lighter) {
  return base::format(
      "unrolled, the kernel needs {} bytes of local memory per thread ({} of them spilled); {}, it needs {}",
      unrolled.frame_bytes, unrolled.resources.spill_store_bytes, lighter_name, lighter.frame_bytes);
}

std::string reason_of_heaviness(const link::LinkFindings& lighter, int calls_for_one) {
  return base::format("the callback is heavy: {} bytes of machine code per element, and {} elements to unroll",
                      lighter.code_bytes, calls_for_one);
}

namespace {

void note_calls(Report& report, const link::LinkFindings& findings) {
  // The building block of the indirect route calls every callback through a pointer, so that call gets no note.
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

}  // namespace

void fill_image(Image::Data& image, families::Decided decided, const codegen::SourceProgram& program,
                const PolicyOverrides& asked, link::Linked linked) {
  const families::Family& family = decided.family();
  Report& report = image.report;
  report.kernel = std::move(decided.kernel);
  report.shape = family.describe(report.kernel);
  report.policy_reason = std::move(decided.reason);
  report.resources = linked.findings.resources;
  report.remaining_calls = std::move(linked.findings.remaining_calls);
  report.cuda_helpers = std::move(linked.findings.cuda_helpers);
  note_calls(report, linked.findings);
  note_slow_arithmetic(program, linked.findings, report);
  for (std::string& note : family.notes_on(asked, report.kernel)) report.notes.push_back(std::move(note));
  for (std::string& note : family.notes_on_text(program)) report.notes.push_back(std::move(note));
  for (const std::string& word : program.thread_words)
    report.notes.push_back(
        base::format("`{}` in a callback: which threads run the callback together, and for which elements, differs "
                     "between routes and at the end of an array",
                     word));
  note_read_outputs(program, report);
  report.linker_log = std::move(linked.log);
  image.ptx = std::move(linked.ptx);
  image.bytes = std::move(linked.code);
  report.image_bytes = image.bytes.size();
}

}  // namespace graft::routes
