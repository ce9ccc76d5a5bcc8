#include "own_kernels/slot_template.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "own_kernels/fit.hpp"
#include "reflect/callback/scan.hpp"

namespace graft::own_kernels {
namespace {

// Returns the template that is the callback's entry, or null.
const reflect::FunctionFound* find_template(const reflect::SourceScan& scan, const std::string& entry) {
  if (entry.find_first_of("<({") != std::string::npos) return nullptr;
  const reflect::EntryChoice choice = reflect::choose_entry(scan, entry);
  if (choice.kind != reflect::EntryChoice::Found || choice.overloaded) return nullptr;
  const auto found = std::ranges::find(scan.functions, choice.name, &reflect::FunctionFound::name);
  return found != scan.functions.end() && found->is_template ? &*found : nullptr;
}

std::size_t count_parameters(std::string_view text) {
  if (text.find_first_not_of(' ') == text.npos || text == "void") return 0;
  std::size_t count = 1;
  int depth = 0;
  for (const char c : text) {
    if (std::string_view("(<[{").find(c) != std::string_view::npos) ++depth;
    if (std::string_view(")>]}").find(c) != std::string_view::npos) --depth;
    if (c == ',' && depth == 0) ++count;
  }
  return count;
}

}  // namespace

bool takes_types(const Callback& callback) {
  if (callback.form() != Form::Source) return false;
  const reflect::SourceScan scan = reflect::scan(reflect::Text(callback.text()));
  return find_template(scan, callback.entry()) != nullptr;
}

std::optional<TypedCallback> with_types_of(const Callback& callback, const Slot& slot, const std::string& code) {
  if (callback.form() != Form::Source) return std::nullopt;
  const reflect::SourceScan scan = reflect::scan(reflect::Text(callback.text()));
  const reflect::FunctionFound* const found = find_template(scan, callback.entry());
  if (found == nullptr) return std::nullopt;
  if (!slot.types)
    fail(ErrorCode::AmbiguousEntry,
         base::format("{}({}): `{}` is a template, and the name of the slot {} of {} shows no types", callback.name(),
                      found->line, found->name, slot.name, code),
         base::format("Name an instantiation in Callback::with_entry: \"{}<float>\".", found->name));
  const std::size_t taken = count_parameters(found->parameters_text), passed = slot.types->size();
  const bool leaves_state_out = taken + 1 == passed && passes_state(slot.types->back());
  if (taken != passed && !leaves_state_out)
    fail(ErrorCode::SignatureMismatch,
         base::format("{} in {} does not fit the slot {} of {}: it takes {} parameters, and the slot passes {}",
                      found->name, callback.name(), slot.name, code, taken, passed),
         "Give the callback the slot's parameters and result.",
         base::format("  the slot:      {}\n  the callback:  {}({})", slot.declaration_with_result(), found->name,
                      found->parameters_text));
  std::vector<std::string> parameters, arguments;
  for (std::size_t i = 0; i < passed; ++i) {
    const bool is_state = passes_state((*slot.types)[i]);
    parameters.push_back(base::format("{} p{}", is_state ? "const void*" : (*slot.types)[i], i));
    if (i < taken)
      arguments.push_back(is_state ? base::format("::graft_slot_state{{p{}}}", i) : base::format("p{}", i));
  }
  return TypedCallback{callback.with_entry(base::format("[]({}) {{ return {}({}); }}", base::join(parameters, ", "),
                                                        found->name, base::join(arguments, ", "))),
                       found->name};
}

}  // namespace graft::own_kernels
