#include "link/machine_code.hpp"

#include <string>

#include "format/cubin.hpp"
#include "format/elf.hpp"

namespace graft::link {
namespace {

// Functions inside a kernel's code have names like "$graft_transform_f$_Z4slowf" and
// "$__internal_0_$__cuda_sm20_div_rn_f64_full". Returns the part behind the second "$".
std::string_view without_kernel(std::string_view symbol) {
  if (!symbol.starts_with('$')) return symbol;
  const std::size_t end = symbol.find('$', 1);
  return end == std::string_view::npos ? symbol : symbol.substr(end + 1);
}

}  // namespace

void add_machine_code(LinkFindings& findings, std::span<const std::byte> code, std::string_view kernel) {
  const auto elf = format::read_elf(code);
  if (!elf) return;
  const format::Cubin cubin = format::read_cubin(*elf);
  for (const format::CubinFunction& function : cubin.functions)
    if (!function.is_kernel) add_call(findings, without_kernel(function.name));
  if (const format::CubinFunction* const found = cubin.find(kernel)) {
    findings.code_bytes = found->code_bytes;
    findings.frame_bytes = found->frame_bytes;
  }
  findings.calls_through_pointer = cubin.calls_through_pointer;
  findings.has_recursion = cubin.has_recursion;
}

}  // namespace graft::link
