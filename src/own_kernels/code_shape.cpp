#include "own_kernels/code_shape.hpp"

#include <algorithm>

#include "base/demangle.hpp"
#include "base/format.hpp"
#include "core/fail.hpp"
#include "format/mangled.hpp"
#include "graft/error.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::own_kernels {
namespace {

using format::PtxFunction;
using format::PtxParameter;

constexpr std::size_t kMostSlots = 256;

// Returns the name of a function as it is written in C++, without result and parameters.
std::string name_of(std::string_view symbol) {
  const std::optional<format::FunctionName> name = format::read_function_name(symbol);
  return name ? name->qualified : base::readable(symbol);
}

KernelEntry entry_of(const PtxFunction& function) {
  KernelEntry entry{.name = name_of(function.name), .symbol = std::string(function.name)};
  for (const PtxParameter& parameter : function.parameters) entry.parameters.push_back(parameter.size);
  return entry;
}

// Returns whether the calls use the result as a floating-point number or as an integer. The compiler declares both as
// .b32, and loads the result with its type: "ld.param.f32 %f3, [retval0];".
PtxParameter::Number use_of_result(std::string_view ptx, std::string_view symbol) {
  constexpr std::string_view kLoad = "ld.param.";
  for (std::size_t at = ptx.find(symbol); at != ptx.npos; at = ptx.find(symbol, at + 1)) {
    const std::size_t line = ptx.rfind(';', at);
    if (line == ptx.npos || ptx.substr(line, at - line).find("call") == std::string_view::npos) continue;
    const std::size_t end = ptx.find('}', at);
    const std::string_view after = ptx.substr(at, end == ptx.npos ? end : end - at);
    const std::size_t load = after.find(kLoad);
    if (load == after.npos) continue;
    const std::string_view type = after.substr(load + kLoad.size(), 3);
    if (type.starts_with('f')) return PtxParameter::Float;
    const std::size_t target = after.find('%', load);
    if (target != after.npos && after.substr(target + 1, 1) == "r") return PtxParameter::Integer;
    if (target != after.npos && after.substr(target + 1, 1) == "f") return PtxParameter::Float;
  }
  return PtxParameter::Unknown;
}

Slot slot_of(const PtxFunction& function, std::string_view ptx) {
  Slot slot{.symbol = std::string(function.name), .name = name_of(function.name)};
  if (const std::optional<format::FunctionName> name = format::read_function_name(function.name))
    slot.types = name->parameters;
  slot.declaration = slot.types ? base::format("{}({})", slot.name, base::join(*slot.types, ", ")) : slot.name;
  slot.parameters = function.parameters;
  if (function.results.empty()) return slot;
  slot.result = function.results.front();
  if (slot.result->number == PtxParameter::Unknown && slot.result->size <= 8)
    slot.result->number = use_of_result(ptx, function.name);
  return slot;
}

std::string without_arguments(std::string_view name) {
  return std::string(name.substr(0, name.find('<')));
}

bool ends_with_name(std::string_view name, std::string_view wanted) {
  return name == wanted || (name.size() > wanted.size() + 2 && name.ends_with(wanted) &&
                            name.substr(name.size() - wanted.size() - 2, 2) == "::");
}

}  // namespace

KernelShape CodeShape::described() const {
  KernelShape shape{.entries = entries};
  for (const Slot& slot : slots)
    shape.slots.push_back({.name = slot.name, .declaration = slot.declaration, .symbol = slot.symbol});
  return shape;
}

CodeShape read_code_shape(std::string_view ptx, const std::string& name) {
  const format::Outcome<format::Ptx> read = format::read_ptx(ptx);
  if (!read)
    fail(ErrorCode::ImageRefused, base::format("the PTX of {} cannot be read: {}", name, read.error().message),
         "Compile the kernel again with the tools of CUDA 12.4 or newer.");
  CodeShape shape;
  for (const PtxFunction& function : read->functions) {
    if (function.is_kernel && function.is_defined) shape.entries.push_back(entry_of(function));
    else if (!function.is_kernel && !function.is_defined && !toolchain::is_driver_function(function.name))
      shape.slots.push_back(slot_of(function, ptx));
  }
  if (shape.entries.empty())
    fail(ErrorCode::NoSuchEntry, base::format("{} has no kernel", name),
         "Define a __global__ function. An instance of a template is a kernel if KernelCode::with_entry names it.");
  if (shape.slots.size() > kMostSlots)
    refuse(base::format("{} calls {} functions that it does not define", name, shape.slots.size()),
           base::format("Give a kernel at most {} slots, and link further functions by KernelCode::with_link_input.",
                        kMostSlots));
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
  const std::string list = all.empty() ? "nothing" : base::join(all, ", ");
  if (found.empty())
    fail(ErrorCode::NoSuchEntry, base::format("{} has no slot {}: it calls and does not define {}", code, name, list),
         "Name one of these slots. A slot is a function that the kernel declares and calls, and does not define.");
  fail(ErrorCode::AmbiguousEntry, base::format("{} slots of {} are called {}: {}", found.size(), code, name, list),
       "Name the slot as it is listed.");
}

}  // namespace graft::own_kernels
