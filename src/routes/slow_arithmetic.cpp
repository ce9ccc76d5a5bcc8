#include "routes/slow_arithmetic.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/format.hpp"

namespace graft::routes {
namespace {

// Whether values of the type may be doubles, or have doubles as members. The alignment of a class shows it, unless the
// class is packed.
bool may_hold_double(const ElementType& type) {
  switch (type.kind) {
    case ElementKind::Float:
      return type.size >= sizeof(double);
    case ElementKind::Complex:
      return type.size >= 2 * sizeof(double);
    case ElementKind::Class:
      return type.size >= sizeof(double) && (type.alignment >= alignof(double) || type.alignment == 1);
    case ElementKind::Opaque:
      return true;
    default:
      return false;
  }
}

bool may_hold_double(const Signature& signature) {
  const auto may = [](const Parameter& parameter) { return may_hold_double(parameter.type); };
  return may(signature.result()) || std::ranges::any_of(signature.parameters(), may);
}

bool names_double(const codegen::ProgramParts& parts) {
  return std::ranges::any_of(parts.callback_text.tokens().list, [](const reflect::Token& token) {
    return token.text.starts_with("double") || token.text.ends_with("double");
  });
}

bool names_double(const codegen::SourceProgram& program) {
  return names_double(program.parts) ||
         std::ranges::any_of(program.parts.members, [](const codegen::ProgramParts& one) { return names_double(one); });
}

// CUDA's functions for 64-bit integers. The driver's tools have called them so since sm_20.
bool is_wide_division(std::string_view helper) {
  constexpr std::array kNames = {"__cuda_sm20_div_s64", "__cuda_sm20_div_u64", "__cuda_sm20_rem_s64",
                                 "__cuda_sm20_rem_u64"};
  return std::ranges::any_of(kNames, [&](std::string_view name) { return helper.find(name) != helper.npos; });
}

}  // namespace

void note_slow_arithmetic(const codegen::SourceProgram& program, const link::LinkFindings& findings, Report& report) {
  if (findings.widens_to_double && !may_hold_double(report.kernel.signature) && !names_double(program))
    report.notes.emplace_back(
        "the kernel computes in double precision, although no array and no state holds doubles: a literal such as 0.1 "
        "is a double, and 0.1f a float");
  const auto division = std::ranges::find_if(report.cuda_helpers, is_wide_division);
  if (division != report.cuda_helpers.end())
    report.notes.push_back(base::format(
        "the kernel divides 64-bit integers, by a call of {}: where the values fit into 32 bits, divide 32-bit "
        "integers",
        *division));
}

}  // namespace graft::routes
