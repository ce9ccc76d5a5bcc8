// A kernel spec is checked in this order: its signature, its tuning (by the family's own objection_to), its route, and
// the limits of registers and shared memory. An image is checked in this order: that it is a cubin, its architecture,
// its symbols. The first objection is returned.
#include "families/kernel_check.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "base/format.hpp"
#include "contract.h"
#include "core/compiler_options.hpp"
#include "families/registry.hpp"
#include "format/elf.hpp"

namespace graft::families {
namespace {

constexpr std::size_t kMostParameters = 64;
// reflect::check_length refuses callbacks whose types have longer names.
constexpr std::size_t kLongestSpelling = std::size_t{1} << 16;

// Whether an element type can exist within these limits. In C++, every size is a multiple of the alignment. An opaque
// type, the element type of an array that only a load or store callback accesses, has size 0.
bool is_type(const ElementType& type, std::uint32_t largest, std::uint32_t largest_alignment) {
  if (type.kind == ElementKind::Opaque) return type.size == 0 && type.alignment == 1;
  if (type.kind == ElementKind::Bit) return type == element_type<Bit>();
  return type.kind < ElementKind::Opaque && type.size >= 1 && type.size <= largest &&
         std::has_single_bit(type.alignment) && type.alignment <= largest_alignment && type.size % type.alignment == 0;
}

bool is_parameter(const Parameter& parameter) {
  switch (parameter.role) {
    case Role::Input:
    case Role::FurtherInput:
    case Role::Output:
    case Role::InOut:
      return is_type(parameter.type, GRAFT_MAX_ELEMENT_BYTES, GRAFT_MAX_ELEMENT_BYTES);
    case Role::State:
    case Role::Baked:
      return is_type(parameter.type, GRAFT_MAX_STATE_BYTES, GRAFT_MAX_STATE_ALIGNMENT);
    case Role::Accumulator:
      return is_type(parameter.type, GRAFT_MAX_ACCUMULATOR_BYTES, GRAFT_MAX_ACCUMULATOR_ALIGNMENT);
    case Role::Store:
      return parameter.type == element_type<Store>();
    case Role::Position:
      return parameter.type.kind == ElementKind::Class && parameter.type.alignment == 4 &&
             parameter.type.size % 4 == 0 && parameter.type.size >= 4 &&
             parameter.type.size <= 4 * GRAFT_MAX_COORDINATES;
    case Role::Index:
    case Role::None:
      return true;  // no code uses the type of an index or of a missing result
  }
  return false;
}

std::string objection_to_parameters(const Signature& signature) {
  const Parameter& result = signature.result();
  if (result.role != Role::Output && result.role != Role::Store && result.role != Role::None)
    return "its result is not an output";
  if (!is_parameter(result)) return "its result has an impossible type";
  const std::vector<Parameter>& parameters = signature.parameters();
  if (parameters.size() > kMostParameters) return base::format("it has {} parameters", parameters.size());
  std::size_t spelled = result.spelling.size();
  for (const Parameter& parameter : parameters) spelled += parameter.spelling.size();
  if (spelled > kLongestSpelling) return base::format("its types have names of {} bytes", spelled);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const bool is_for_results = parameters[i].role == Role::Store || parameters[i].role == Role::None;
    if (is_for_results || !is_parameter(parameters[i]))
      return base::format("parameter {} has an impossible role or type", i + 1);
  }
  const auto first_further = std::ranges::find(parameters, Role::FurtherInput, &Parameter::role);
  if (std::find_if(first_further, parameters.end(), [](const Parameter& p) { return p.role == Role::Input; }) !=
      parameters.end())
    return "an input follows those of the store callback";
  const auto states = std::ranges::count_if(
      parameters, [](const Parameter& p) { return p.role == Role::State || p.role == Role::Baked; });
  return states > 1 ? base::format("it has {} states", states) : std::string();
}

std::string objection_to_arrays(const Signature& signature) {
  const std::size_t inputs = signature.inputs().size() + signature.in_outs().size();
  if (inputs > GRAFT_MAX_INPUTS) return base::format("it has {} inputs, but the limit is {}", inputs, GRAFT_MAX_INPUTS);
  if (signature.outputs().size() > GRAFT_MAX_OUTPUTS)
    return base::format("it has {} outputs, but the limit is {}", signature.outputs().size(), GRAFT_MAX_OUTPUTS);
  return signature.outputs().empty() && signature.parameters().empty() ? "it has no parameters and no result" : "";
}

}  // namespace

std::string objection_to(const Signature& signature) {
  std::string why = objection_to_parameters(signature);
  if (why.empty()) why = objection_to_arrays(signature);
  return why.empty() ? why : "no callback can have its signature: " + why;
}

std::string objection_to(const KernelSpec& kernel) {
  const Family* const family = find(kernel.family);
  if (family == nullptr) return "this version of graft does not have its kernel family";
  if (std::string why = family->has_elements() ? objection_to(kernel.signature) : std::string(); !why.empty())
    return why;
  if (std::string why = family->objection_to(kernel); !why.empty()) return why;
  if (kernel.route > Route::Host) return "it has an unknown route";
  if (kernel.max_registers < 0 || kernel.max_registers > kMostRegisters)
    return base::format("its register limit is {}", kernel.max_registers);
  if (kernel.shared_bytes < 0 || kernel.shared_bytes > kMostSharedBytes)
    return base::format("it has {} bytes of shared memory", kernel.shared_bytes);
  if (!are_canonical_compiler_options(kernel.compiler_options))
    return "it has compiler options that graft never passes";
  return {};
}

std::string objection_to(const Report& report) {
  if (std::string why = objection_to(report.kernel); !why.empty()) return why;
  const int registers = report.resources.registers;
  if (registers < 0 || registers > kMostRegisters) return base::format("it uses {} registers", registers);
  return {};
}

std::string objection_to_image(const KernelSpec& kernel, std::span<const std::byte> image) {
  const auto elf = format::read_elf(image);
  if (!elf || !elf->is_cubin()) return "its image is not a complete cubin";
  if (elf->is_relocatable) return "its image is not linked";
  if (elf->architecture().number != kernel.architecture.number)
    return base::format("its image is for {}, but the kernel is for {}", elf->architecture().sm(),
                        kernel.architecture.sm());
  const bool has_kernel = std::ranges::any_of(elf->functions, [&](const format::ElfFunction& function) {
    return function.is_kernel && function.name == kernel.name;
  });
  return has_kernel ? std::string() : base::format("its image does not contain {}", kernel.name);
}

}  // namespace graft::families
