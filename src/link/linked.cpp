// read_log() reads the log line by line. The lines that follow "Function properties for NAME" describe the function
// NAME. If NAME is the kernel, read_log() reads the registers, the stack and the other resources from these lines. Any
// other NAME is a function that the kernel calls. add_machine_code() then adds the facts that the cubin shows.
#include "link/linked.hpp"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

#include "base/demangle.hpp"
#include "format/cubin.hpp"
#include "format/elf.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::link {
namespace {

constexpr std::string_view kProperties = "Function properties for ";
constexpr std::string_view kKernel = "Compiling entry function '";

// Returns the number directly in front of `what`: 18 in "Used 18 registers" for " registers".
std::size_t number_before(std::string_view line, std::string_view what) {
  const std::size_t at = line.find(what);
  if (at == std::string_view::npos) return 0;
  std::size_t begin = at;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::size_t value = 0;
  std::from_chars(line.data() + begin, line.data() + at, value);
  return value;
}

// Whether the name belongs to one of CUDA's own functions: the slow path of sinf, pow, a division or a similar
// operation, or a function of the driver such as vprintf.
bool is_cuda_helper(std::string_view name) {
  for (const std::string_view prefix : {"__internal_", "__cuda_", "__nv_", "$__internal_", "__cudart_"})
    if (name.starts_with(prefix)) return true;
  return toolchain::is_driver_function(name);
}

// Whether the name belongs to one of graft's own functions, through which the kernel calls the callback. Without
// link-time optimisation, the linker does not inline these functions.
bool is_own(std::string_view name) {
  return name.starts_with("graft_");
}

// Removes the quotes and the colon around a function's name: nvJitLink writes 'relu': where ptxas writes relu.
std::string_view unquoted(std::string_view name) {
  return name.starts_with('\'') ? name.substr(1, name.rfind('\'') - 1) : name;
}

void add_once(std::vector<std::string>& list, std::string name) {
  if (std::find(list.begin(), list.end(), name) == list.end()) list.push_back(std::move(name));
}

void add_call(LinkFindings& findings, std::string_view symbol) {
  if (is_own(symbol)) return;
  add_once(is_cuda_helper(symbol) ? findings.cuda_helpers : findings.remaining_calls, base::readable(symbol));
}

LinkFindings read_log(std::string_view log, std::string_view kernel) {
  LinkFindings found;
  bool in_kernel = false;
  std::string_view other_kernel;  // a kernel in the callback's text, which nothing calls
  while (!log.empty()) {
    const std::size_t end = log.find('\n');
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(end == std::string_view::npos ? log.size() : end + 1);
    if (const std::size_t at = line.find(kKernel); at != std::string_view::npos)
      other_kernel = line.substr(at + kKernel.size(), line.find('\'', at + kKernel.size()) - at - kKernel.size());
    if (const std::size_t at = line.find(kProperties); at != std::string_view::npos) {
      const std::string_view name = unquoted(line.substr(at + kProperties.size()));
      in_kernel = name == kernel;
      if (!in_kernel && name != other_kernel) add_call(found, name);
    }
    if (!in_kernel) continue;
    Report::Resources& r = found.resources;
    if (line.find("bytes stack frame") != std::string_view::npos) {
      r.stack_bytes = number_before(line, " bytes stack frame");
      r.spill_store_bytes = number_before(line, " bytes spill stores");
      r.spill_load_bytes = number_before(line, " bytes spill loads");
      r.local_bytes = r.stack_bytes;
    }
    if (line.find("Used ") != std::string_view::npos) {
      r.registers = static_cast<int>(number_before(line, " registers"));
      r.constant_bytes = number_before(line, " bytes cmem[0]");
      r.local_bytes = std::max(r.local_bytes, number_before(line, " bytes cumulative stack size"));
    } else if (line.find("used ") != std::string_view::npos) {
      // nvJitLink writes this line at the end of its log (read_linked says when). Its registers and stack are those of
      // the kernel together with the functions that the kernel calls, so they replace the values read before.
      r.registers = static_cast<int>(number_before(line, " registers"));
      r.constant_bytes = number_before(line, " bytes cmem[0]");
      r.stack_bytes = number_before(line, " stack,");
      r.local_bytes = r.stack_bytes;
    }
  }
  return found;
}

// Functions inside a kernel's code have names like "$graft_transform_f$_Z4slowf" and
// "$__internal_0_$__cuda_sm20_div_rn_f64_full". Returns the part behind the second "$".
std::string_view without_kernel(std::string_view symbol) {
  if (!symbol.starts_with('$')) return symbol;
  const std::size_t end = symbol.find('$', 1);
  return end == std::string_view::npos ? symbol : symbol.substr(end + 1);
}

void add_machine_code(LinkFindings& findings, const format::Cubin& cubin, std::string_view kernel) {
  for (const format::CubinFunction& function : cubin.functions)
    if (!function.is_kernel) add_call(findings, without_kernel(function.name));
  if (const format::CubinFunction* const found = cubin.find(kernel)) {
    findings.code_bytes = found->code_bytes;
    findings.frame_bytes = found->frame_bytes;
  }
  findings.calls_through_pointer = cubin.calls_through_pointer;
  findings.has_recursion = cubin.has_recursion;
  findings.widens_to_double = cubin.widens_to_double;
}

}  // namespace

LinkFindings read_findings(const format::Cubin& cubin, std::string_view log, std::string_view kernel) {
  LinkFindings findings = read_log(log, kernel);
  add_machine_code(findings, cubin, kernel);
  return findings;
}

Linked read_linked(base::Bytes code, std::string log, std::string_view kernel) {
  const auto elf = format::read_elf(code);
  LinkFindings findings = read_findings(elf ? format::read_cubin(*elf) : format::Cubin(), log, kernel);
  return {.code = std::move(code), .log = std::move(log), .findings = std::move(findings)};
}

}  // namespace graft::link
