#include "families/elementwise/measured.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "families/elementwise/parameter_layout.hpp"

namespace graft::elementwise {
namespace {

// Whether the rules and the kernel treat such an array as a row of elements of a size.
bool is_plain(const ElementType& type) {
  return !is_bit(type) && type.kind != ElementKind::Opaque && type.size > 0;
}

std::vector<int> sizes_of(const std::vector<ElementType>& types) {
  std::vector<int> sizes;
  for (const ElementType& type : types) sizes.push_back(static_cast<int>(type.size));
  return sizes;
}

Policy with_numbers(Policy policy, const MeasuredPolicy& measured) {
  policy.vector_width = measured.vector_width;
  policy.vectors_per_thread = measured.vectors_per_thread;
  policy.block_threads = measured.block_threads;
  policy.single_below = static_cast<std::uint64_t>(measured.single_below);
  return policy;
}

// Returns a signature with arrays of these sizes.
Signature signature_of(const format::MeasuredKind& kind) {
  const auto parameter = [](Role role, int size) {
    return Parameter{role, {.kind = ElementKind::Class, .size = static_cast<std::uint32_t>(size), .alignment = 1}};
  };
  std::vector<Parameter> parameters;
  for (const int size : kind.inputs) parameters.push_back(parameter(Role::Input, size));
  for (const int size : kind.outputs) parameters.push_back(parameter(Role::Output, size));
  return {{.role = Role::None, .type = {}}, std::move(parameters)};
}

}  // namespace

std::optional<format::MeasuredKind> measured_kind(const Signature& signature, bool long_math) {
  if (signature.is_selective() || !signature.in_outs().empty() || signature.further_inputs() > 0 ||
      signature.outputs().empty() || !std::ranges::all_of(signature.inputs(), is_plain) ||
      !std::ranges::all_of(signature.outputs(), is_plain))
    return std::nullopt;
  return format::MeasuredKind{.inputs = sizes_of(signature.inputs()),
                              .outputs = sizes_of(signature.outputs()),
                              .short_integers = are_short_integers(signature),
                              .long_math = long_math};
}

std::optional<MeasuredPolicy> find_measured(const Signature& signature, bool long_math,
                                            const format::TuningFile& file) {
  const std::optional<format::MeasuredKind> kind = measured_kind(signature, long_math);
  if (!kind) return std::nullopt;
  const auto found = std::ranges::find(file.elementwise, *kind, &format::MeasuredRow::kind);
  return found == file.elementwise.end() ? std::nullopt : std::optional(found->policy);
}

Policy with_measured(Policy rules, const MeasuredPolicy& measured, const Signature& signature) {
  if (!measured_kind(signature, false)) return rules;
  Policy policy = with_numbers(std::move(rules), measured);
  if (const std::string why = objection_to(policy, signature); !why.empty())
    refuse(base::format("no kernel of the signature {} can have the measured tuning that was given: {}",
                        signature.text(), why),
           "Leave the measured tuning to the engine.");
  policy.reason = "tuned on this GPU by graft tune";
  return policy;
}

std::string objection_to(const format::MeasuredRow& row) {
  if (row.kind.inputs.size() > GRAFT_MAX_INPUTS || row.kind.outputs.size() > GRAFT_MAX_OUTPUTS)
    return base::format("it has {} inputs and {} outputs", row.kind.inputs.size(), row.kind.outputs.size());
  return objection_to(with_numbers({}, row.policy), signature_of(row.kind));
}

}  // namespace graft::elementwise
