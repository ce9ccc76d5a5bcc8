#include "own_kernels/code_shape.hpp"

#include <algorithm>
#include <utility>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "format/cubin.hpp"
#include "format/elf.hpp"
#include "format/mangled.hpp"
#include "graft/error.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::own_kernels {
namespace {

using format::PtxFunction;
using format::PtxParameter;

std::vector<std::uint64_t> sizes_of(const std::vector<PtxParameter>& parameters) {
  std::vector<std::uint64_t> sizes;
  for (const PtxParameter& parameter : parameters) sizes.push_back(parameter.size);
  return sizes;
}

// Returns whether a call uses the result as a floating-point number or as an integer. The compiler declares both as
// .b32, and loads the result with its type: "ld.param.f32 %f3, [retval0];".
PtxParameter::Number use_of_result(std::string_view after_call) {
  constexpr std::string_view kLoad = "ld.param.";
  const std::size_t load = after_call.find(kLoad);
  if (load == after_call.npos) return PtxParameter::Unknown;
  if (after_call.substr(load + kLoad.size(), 1) == "f") return PtxParameter::Float;
  const std::size_t target = after_call.find('%', load);
  const std::string_view kind = target == after_call.npos ? std::string_view() : after_call.substr(target + 1, 1);
  return kind == "f" ? PtxParameter::Float : kind == "r" ? PtxParameter::Integer : PtxParameter::Unknown;
}

Slot slot_of(const PtxFunction& function, const std::vector<format::PtxCall>& calls) {
  Slot slot{.symbol = std::string(function.name)};
  name_slot(slot);
  slot.parameters = function.parameters;
  if (!function.results.empty()) slot.result = function.results.front();
  for (const format::PtxCall& call : calls) {
    if (call.callee != function.name) continue;
    ++slot.call_sites;
    if (slot.result && slot.result->number == PtxParameter::Unknown && slot.result->size <= 8)
      slot.result->number = use_of_result(call.behind);
  }
  return slot;
}

std::vector<Variable> variables_of(std::string_view ptx) {
  std::vector<Variable> found;
  for (const format::PtxVariable& variable : format::undefined_variables(ptx)) {
    if (variable.type.empty()) continue;
    std::uint64_t bits = 0;
    for (const char c : variable.type.substr(1)) bits = bits * 10 + static_cast<std::uint64_t>(c - '0');
    const bool is_integer = !variable.is_array && !variable.type.starts_with('f');
    found.push_back({std::string(variable.name), base::readable(variable.name), is_integer ? bits / 8 : 0});
  }
  return found;
}

std::string without_arguments(std::string_view name) {
  return std::string(name.substr(0, name.find('<')));
}

bool ends_with_name(std::string_view name, std::string_view wanted) {
  return name == wanted || (name.ends_with(wanted) && name.substr(0, name.size() - wanted.size()).ends_with("::"));
}

}  // namespace

bool is_symbol(std::string_view text) {
  const auto is_name_character = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
  };
  return !text.empty() && (text.front() < '0' || text.front() > '9') && std::ranges::all_of(text, is_name_character);
}

std::string name_of(std::string_view symbol) {
  const std::optional<format::FunctionName> name = format::read_function_name(symbol);
  return name ? name->qualified : base::readable(symbol);
}

KernelEntry entry_of(std::string_view symbol, std::vector<std::uint64_t> sizes) {
  const std::optional<format::FunctionName> name = format::read_function_name(symbol);
  KernelEntry entry{.name = name_of(symbol), .symbol = std::string(symbol), .parameters = std::move(sizes)};
  if (name && name->parameters) entry.types = *name->parameters;
  return entry;
}

bool are_of_one_slot(std::string_view a, std::string_view b) {
  return ends_with_name(a, b) || ends_with_name(b, a);
}

void name_slot(Slot& slot) {
  slot.name = name_of(slot.symbol);
  if (const std::optional<format::FunctionName> name = format::read_function_name(slot.symbol))
    slot.types = name->parameters;
  slot.declaration = slot.types ? base::format("{}({})", slot.name, base::join(*slot.types, ", ")) : slot.name;
}

KernelShape CodeShape::described() const {
  KernelShape shape{.entries = entries};
  for (const Slot& slot : slots)
    shape.slots.push_back({.name = slot.name, .declaration = slot.declaration, .symbol = slot.symbol});
  for (const Variable& variable : variables) shape.constants.push_back(variable.name);
  return shape;
}

namespace {

void check_counts(const CodeShape& shape, const std::string& name) {
  if (shape.entries.empty())
    fail(ErrorCode::NoSuchEntry, base::format("{} has no kernel", name),
         "Define a __global__ function. An instance of a template is a kernel if KernelCode::with_entry names it.");
  if (shape.slots.size() > kMostSlots)
    refuse(base::format("{} calls {} functions that it does not define", name, shape.slots.size()),
           base::format("Give a kernel at most {} slots, and link further functions by KernelCode::with_link_input.",
                        kMostSlots));
}

}  // namespace

CodeShape read_code_shape(std::string_view ptx, const std::string& name) {
  const format::Outcome<format::Ptx> read = format::read_ptx(ptx);
  if (!read)
    fail(ErrorCode::ImageRefused, base::format("the PTX of {} cannot be read: {}", name, read.error().message),
         "Compile the kernel again with the tools of CUDA 12.4 or newer.");
  CodeShape shape;
  const std::vector<format::PtxCall> calls = format::read_calls(ptx);
  for (const PtxFunction& function : read->functions) {
    if (function.is_kernel && function.is_defined)
      shape.entries.push_back(entry_of(function.name, sizes_of(function.parameters)));
    else if (!function.is_kernel && !function.is_defined && !toolchain::is_driver_function(function.name))
      shape.slots.push_back(slot_of(function, calls));
  }
  shape.variables = variables_of(ptx);
  check_counts(shape, name);
  return shape;
}

CodeShape read_machine_code_shape(std::span<const std::byte> cubin, const std::string& name) {
  const format::Outcome<format::ElfFile> elf = format::read_elf(cubin);
  if (!elf || !elf->is_relocatable)
    fail(ErrorCode::ImageRefused,
         base::format("{} is no machine code that can be linked{}", name, elf ? "" : ": " + elf.error().message),
         "Compile the kernel by nvcc -cubin -rdc=true.");
  CodeShape shape;
  const format::Cubin code = format::read_cubin(*elf);
  for (const format::CubinFunction& function : code.functions)
    if (function.is_kernel)
      shape.entries.push_back(entry_of(function.name, function.parameters.value_or(std::vector<std::uint64_t>())));
  constexpr std::uint64_t kMostAligned = 16;
  for (PtxFunction function : code.prototypes) {
    if (function.is_defined || toolchain::is_driver_function(function.name)) continue;
    for (PtxParameter& parameter : function.parameters) parameter.alignment = kMostAligned;
    shape.slots.push_back(slot_of(function, {}));
    shape.slots.back().call_sites = 1;
  }
  for (const format::ElfSymbol& symbol : elf->symbols)
    if (symbol.section == 0 && symbol.size != 0 && symbol.is_shared && !symbol.is_function && is_symbol(symbol.name) &&
        !symbol.name.starts_with("__"))
      shape.variables.push_back({std::string(symbol.name), base::readable(symbol.name), symbol.size});
  check_counts(shape, name);
  return shape;
}

const Slot& find_slot(const CodeShape& shape, const std::string& name, const std::string& code) {
  std::vector<const Slot*> found;
  const auto collect = [&](auto fits) {
    if (!found.empty()) return;
    for (const Slot& slot : shape.slots)
      if (fits(slot)) found.push_back(&slot);
  };
  collect([&](const Slot& slot) { return slot.symbol == name || slot.name == name || slot.declaration == name; });
  collect([&](const Slot& slot) { return ends_with_name(slot.name, name); });
  collect([&](const Slot& slot) { return ends_with_name(without_arguments(slot.name), name); });
  if (found.size() == 1) return *found.front();
  std::vector<std::string> all;
  for (const Slot& slot : shape.slots) all.push_back(slot.declaration);
  const std::string list = all.empty() ? "it calls no function without defining it"
                                       : base::format("it calls and does not define {}", base::join(all, ", "));
  if (found.empty())
    fail(ErrorCode::NoSuchEntry, base::format("{} has no slot {}: {}", code, name, list),
         "Name one of these slots. A slot is a function that the kernel declares and calls, and does not define.");
  fail(ErrorCode::AmbiguousEntry, base::format("{} slots of {} are called {}: {}", found.size(), code, name, list),
       "Name the slot as it is listed.");
}

const Variable& find_variable(const CodeShape& shape, const std::string& name, std::int64_t value,
                              const std::string& code) {
  std::vector<const Variable*> found;
  std::vector<std::string> all;
  for (const Variable& one : shape.variables) {
    all.push_back(one.name);
    if (one.symbol == name || one.name == name) found = {&one};
    else if (ends_with_name(one.name, name) && (found.empty() || found.front()->name != name)) found.push_back(&one);
  }
  const std::string list = all.empty() ? "it uses no variable without defining it"
                                       : base::format("it uses and does not define {}", base::join(all, ", "));
  if (found.empty())
    refuse(base::format("{} has no constant {}: {}", code, name, list),
           "Declare the constant in the kernel's code, `extern __device__ const bool has_filter;`, and use it.");
  if (found.size() > 1)
    fail(ErrorCode::AmbiguousEntry,
         base::format("{} constants of {} are called {}: {}", found.size(), code, name, list),
         "Name the constant with its namespace.");
  const Variable& variable = *found.front();
  if (variable.bytes == 0 || variable.bytes > sizeof value)
    refuse(base::format("{} of {} is no bool and no integer", variable.name, code),
           "Define the variable in the kernel's code.");
  const int bits = static_cast<int>(variable.bytes) * 8;
  if (bits < 64 && (value < -(std::int64_t{1} << (bits - 1)) || value >= std::int64_t{1} << bits))
    refuse(base::format("the constant {} of {} has {} bytes, and its value is {}", variable.name, code, variable.bytes,
                        value),
           "Give a value of the constant's type.");
  return variable;
}

std::string with_empty_functions(std::string_view ptx, const std::vector<std::string>& symbols) {
  constexpr std::string_view kExtern = ".extern";
  const format::Outcome<format::Ptx> read = format::read_ptx(ptx);
  std::string text;
  std::size_t written = 0;
  if (read)
    for (const PtxFunction& function : read->functions) {
      if (function.is_defined || std::ranges::find(symbols, function.name) == symbols.end()) continue;
      // ".extern .func (.param .b32 func_retval0) _Z1fi (.param .b32 _Z1fi_param_0);"
      const auto name = static_cast<std::size_t>(function.name.data() - ptx.data());
      const std::size_t begin = ptx.rfind(kExtern, name), end = ptx.find(';', name);
      if (begin == ptx.npos || begin < written || end == ptx.npos) continue;
      base::append(text, "{}.visible{}{{ trap; }}", ptx.substr(written, begin - written),
                   ptx.substr(begin + kExtern.size(), end - begin - kExtern.size()));
      written = end + 1;
    }
  text += ptx.substr(written);
  return text;
}

std::size_t count_instructions(std::string_view ptx) {
  const format::Outcome<format::Ptx> read = format::read_ptx(ptx);
  std::size_t count = 0;
  if (read)
    for (const PtxFunction& function : read->functions)
      count += static_cast<std::size_t>(std::ranges::count(function.body, ';'));
  return count;
}

}  // namespace graft::own_kernels
