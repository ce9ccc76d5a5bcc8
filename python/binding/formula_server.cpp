#include "formula_server.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <graft/error.hpp>

#include "readers.hpp"
#include "values.hpp"

namespace graft_python {

bool FormulaServer::Variable::is_like(const Variable& other) const {
  return name == other.name && type.has_value() == other.type.has_value() && (!type || are_same(*type, *other.type));
}

// Nothing for a value that is neither an array that is read directly nor a number without a type. Sets `on_device` to
// where an array is.
std::optional<FormulaServer::Variable> FormulaServer::variable_of(PyObject* name, PyObject* value, bool& on_device) {
  if (is_number(value) || PyComplex_CheckExact(value)) return Variable{name, {}};
  ReadArray array;
  if (!read_directly(value, array) || array.type.kind == graft::ElementKind::Class) return {};
  on_device = array.device != ReadArray::kHost;
  return Variable{name, array.type};
}

nb::object FormulaServer::call(const Arguments& arguments) const try {
  JobCall call;
  std::vector<Variable> variables;
  std::vector<PyObject*> inputs;
  std::vector<graft::Number> numbers;
  bool on_device = false;
  const auto add = [&](PyObject* name, PyObject* value) {
    const std::optional<Variable> variable = variable_of(name, value, on_device);
    if (!variable) return false;
    if (variable->type) inputs.push_back(value);
    else numbers.push_back(number_of(value));
    variables.push_back(*variable);
    return true;
  };
  if (arguments.number > 0) {
    PyObject* const name = arguments.number == 1 ? name_left(arguments) : nullptr;
    if (!name || !add(name, arguments.values[0])) return {};
  }
  for (std::size_t i = 0; i < arguments.words(); ++i)
    if (!call.set(arguments.name(i), arguments.value(i)) && !add(arguments.name(i), arguments.value(i))) return {};
  call.inputs = inputs;
  // From here to the launch no Python code runs, so that what is known stays.
  const std::size_t known = find(variables, on_device);
  return known < known_.size() ? known_[known].call(call, numbers) : nb::object();
} catch (const graft::Error&) {
  return {};
}

void FormulaServer::set_names(const nb::list& names) {
  for (const nb::handle name : names) names_.push_back(interned(name));
}

void FormulaServer::keep(const nb::dict& named, const std::optional<graft::WeakFormula>& formula,
                         const std::optional<graft::WeakCallback>& callback, const std::string& kinds,
                         const JobServer& job) {
  constexpr std::size_t kMostCalls = 64;
  Known made;
  std::vector<Variable> variables;
  for (const auto& [key, value] : named) {
    if (!PyUnicode_CheckExact(key.ptr())) return;  // is never interned, so no call would be like this one
    made.names.push_back(interned(key));
    const std::optional<Variable> variable = variable_of(made.names.back().ptr(), value.ptr(), made.on_device);
    if (!variable) return;
    variables.push_back(*variable);
  }
  const std::shared_ptr<const ServedKernel>& served = job.kernel(made.on_device);
  if (!served) return;
  std::size_t known = find(variables, made.on_device);
  if (known == known_.size()) {
    if (known == kMostCalls) known_.clear();
    made.variables = std::move(variables);
    made.formula = formula;
    known_.push_back(std::move(made));
    known = known_.size() - 1;
  }
  known_[known].keep({kinds, callback, served});
}

// The number of the calls that are like one; that of all if there are none.
std::size_t FormulaServer::find(const std::vector<Variable>& variables, bool on_device) const {
  const auto found = std::ranges::find_if(known_, [&](const Known& one) { return one.is_like(variables, on_device); });
  return static_cast<std::size_t>(found - known_.begin());
}

// The name of the one variable that a call does not name; null unless there is one.
PyObject* FormulaServer::name_left(const Arguments& arguments) const {
  PyObject* left = nullptr;
  for (const nb::object& name : names_) {
    std::size_t i = 0;
    while (i < arguments.words() && arguments.name(i) != name.ptr()) ++i;
    if (i < arguments.words()) continue;
    if (left) return nullptr;
    left = name.ptr();
  }
  return left;
}

bool FormulaServer::Known::is_like(const std::vector<Variable>& others, bool are_on_device) const {
  return on_device == are_on_device &&
         std::ranges::equal(variables, others, [](const Variable& a, const Variable& b) { return a.is_like(b); });
}

void FormulaServer::Known::keep(OfKinds one) {
  constexpr std::size_t kMostKinds = 64;
  if (std::ranges::any_of(all, [&](const OfKinds& other) { return other.kinds == one.kinds; })) return;
  if (all.size() == kMostKinds) all.clear();
  all.push_back(std::move(one));
}

// During the launch another thread may make the server forget this object, so what the kernel needs is held here.
nb::object FormulaServer::Known::call(JobCall& call, const std::vector<graft::Number>& numbers) const {
  if (!formula) {
    const std::shared_ptr<const ServedKernel> served = all.empty() ? nullptr : all.front().served;
    return served ? served->kernel->call(call) : nb::object();
  }
  const graft::WeakValues values = formula->values(numbers);
  const auto of_kinds = std::ranges::find(all, values.kinds(), &OfKinds::kinds);
  if (of_kinds == all.end()) return {};
  const graft::Parameters parameters = of_kinds->callback->parameters(values);
  if (parameters.state().type.size > 0) call.state = parameters.state();
  const std::shared_ptr<const ServedKernel> served = of_kinds->served;
  return served->kernel->call(call);
}

}  // namespace graft_python
