// The default implementations of the functions of Family that a family may leave out.
#include "families/family.hpp"

#include <stdexcept>

#include "base/format.hpp"
#include "codegen/program.hpp"
#include "core/option_table.hpp"

namespace graft::families {

Schedule Family::schedule(const Job& job, std::optional<Architecture>) const {
  Schedule one;
  // Kernels that were made before are found by their request, without a callback.
  one.kernels.emplace_back(job.callbacks.empty() ? Callback("") : job.callbacks.front().callback, job.family,
                           job.request);
  one.methods.push_back({"", {0}});
  return one;
}

std::string Family::title(const Job& job) const {
  return job.callbacks.empty() ? base::format("a kernel of the family {}", name())
                               : job.callbacks.front().callback.name();
}

std::vector<std::string> Family::words_on(std::span<const std::byte>) const {
  return {};
}

std::optional<LighterKernel> Family::lighter(const KernelSpec&, const PolicyOverrides&) const {
  return std::nullopt;
}

std::optional<Tuning> Family::serve(const KernelSpec& finished, const PolicyOverrides&, std::string&) const {
  return finished.tuning;
}

std::vector<std::string> names_of(const PolicyOverrides& asked) {
  std::vector<std::string> names;
  for_each_option<PolicyOverrides>([&](const auto& row) {
    if (asked.*row.member) names.emplace_back(row.name);
  });
  return names;
}

std::vector<std::string> Family::notes_on(const PolicyOverrides& asked, const KernelSpec&) const {
  std::vector<std::string> notes;
  for (const std::string& option : names_of(asked))
    notes.push_back(base::format("Options::policy.{} has no effect on {} kernels", option, name()));
  return notes;
}

std::vector<std::string> Family::notes_on_text(const codegen::SourceProgram&) const {
  return {};
}

reflect::RefusalWords Family::refusal(unsigned number) const {
  throw std::out_of_range(base::format("the family {} has no refusal {}", name(), number));
}

std::string_view Family::stage_word(std::size_t stage) const {
  constexpr std::string_view kWords[] = {"the load callback", "the op", "the store callback"};
  return kWords[stage];
}

std::string Family::difference(const codegen::SourceProgram&, unsigned, const RefusedCallback&) const {
  return {};
}

std::optional<Signature> Family::shown_signature(const codegen::SourceProgram& program, const Options& options) const {
  return codegen::shown_signature(program, options);
}

std::string Family::reading_text(const codegen::SourceProgram& program) const {
  return codegen::reading_text(program.parts);
}

std::vector<std::string> Family::blocks(const KernelSpec&) const {
  return {};
}

std::string Family::building_block_text(const KernelSpec&) const {
  return {};
}

base::Bytes Family::constants(const KernelSpec&) const {
  return {};
}

}  // namespace graft::families
