#include "caller.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <graft/error.hpp>
#include <graft/formula.hpp>

#include "called.hpp"
#include "job_kernel.hpp"
#include "readers.hpp"
#include "values.hpp"

namespace graft_python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

// ---- Jobs ----

// The kernels of a job. States and streams are read by Python code.
class JobServer {
 public:
  nb::object call(const Arguments& arguments) const {
    JobCall call{.inputs = {arguments.values, arguments.number}};
    for (std::size_t i = 0; i < arguments.words(); ++i)
      if (!call.set(arguments.name(i), arguments.value(i))) return {};
    const Reader* const reader = arguments.number > 0 ? reader_of(arguments.values[0]) : nullptr;
    const JobKernel* const kernel = reader ? this->kernel(reader->is_on_device()).get() : nullptr;
    return kernel ? kernel->call(call) : nb::object();
  }

  const std::shared_ptr<const JobKernel>& kernel(bool on_device) const { return on_device ? on_device_ : on_host_; }

  // The first kernel stays, because calls may use it.
  void keep(bool on_device, std::shared_ptr<const JobKernel> kernel) {
    std::shared_ptr<const JobKernel>& place = on_device ? on_device_ : on_host_;
    if (!place) place = std::move(kernel);
  }

 private:
  std::shared_ptr<const JobKernel> on_host_, on_device_;
};

// ---- Formulas without types ----

// A variable of a call: an array of a type, or a number of Python.
struct Variable {
  PyObject* name;  // interned, so that its address tells names apart
  PyObject* value;
  std::optional<graft::ElementType> type;  // of an array

  bool is_like(const Variable& other) const {
    return name == other.name && type.has_value() == other.type.has_value() &&
           (!type || (type->kind == other.type->kind && type->size == other.type->size));
  }
};

// Nothing for a value that is neither an array that is read directly nor a number without a type. Sets `on_device` to
// where an array is.
std::optional<Variable> variable_of(PyObject* name, PyObject* value, bool& on_device) {
  if (PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value) || PyComplex_CheckExact(value))
    return Variable{name, value, {}};
  ReadArray array;
  if (!read_directly(value, array) || array.type.kind == graft::ElementKind::Class) return {};
  on_device = array.device != ReadArray::kHost;
  return Variable{name, value, array.type};
}

// The calls of one formula that were made before: a call with variables of the same names and types, in the same order,
// and numbers of the same kinds is made by the same kernel.
class FormulaServer {
 public:
  nb::object call(const Arguments& arguments) {
    JobCall call;
    std::vector<Variable> variables;
    bool on_device = false;
    const auto add = [&](PyObject* name, PyObject* value) {
      const std::optional<Variable> variable = variable_of(name, value, on_device);
      if (variable) variables.push_back(*variable);
      return variable.has_value();
    };
    if (arguments.number > 0) {
      PyObject* const name = arguments.number == 1 ? name_left(arguments) : nullptr;
      if (!name || !add(name, arguments.values[0])) return {};
    }
    for (std::size_t i = 0; i < arguments.words(); ++i)
      if (!call.set(arguments.name(i), arguments.value(i)) && !add(arguments.name(i), arguments.value(i))) return {};
    const auto known =
        std::ranges::find_if(known_, [&](const Known& one) { return one.is_like(variables, on_device); });
    return known == known_.end() ? nb::object() : known->call(call, variables);
  }

  // The names of all variables. A call may leave one of them out.
  void set_names(const nb::list& names) {
    for (const nb::handle name : names) names_.push_back(interned(name));
  }

  void keep(const nb::dict& named, const std::optional<graft::WeakFormula>& formula,
            const std::optional<graft::WeakCallback>& callback, const std::string& kinds, const JobServer& job) {
    constexpr std::size_t kMostCalls = 64;
    Known made;
    std::vector<Variable> variables;
    for (const auto& [key, value] : named) {
      made.names.push_back(interned(key));
      const std::optional<Variable> variable = variable_of(made.names.back().ptr(), value.ptr(), made.on_device);
      if (!variable) return;
      variables.push_back(*variable);
    }
    const std::shared_ptr<const JobKernel>& kernel = job.kernel(made.on_device);
    if (!kernel) return;
    auto known = std::ranges::find_if(known_, [&](const Known& one) { return one.is_like(variables, made.on_device); });
    if (known == known_.end()) {
      if (known_.size() == kMostCalls) known_.clear();
      for (const Variable& one : variables) made.variables.push_back({one.name, nullptr, one.type});
      made.formula = formula;
      known_.push_back(std::move(made));
      known = known_.end() - 1;
    }
    known->keep({kinds, callback, kernel});
  }

 private:
  // A kernel for numbers of certain kinds.
  struct OfKinds {
    std::string kinds;
    std::optional<graft::WeakCallback> callback;
    std::shared_ptr<const JobKernel> kernel;
  };

  struct Known {
    std::vector<nb::object> names;
    std::vector<Variable> variables;  // without their values
    bool on_device = false;
    std::optional<graft::WeakFormula> formula;  // nothing for a formula without numbers
    std::vector<OfKinds> all;

    bool is_like(const std::vector<Variable>& others, bool are_on_device) const {
      return on_device == are_on_device &&
             std::ranges::equal(variables, others, [](const Variable& a, const Variable& b) { return a.is_like(b); });
    }

    void keep(OfKinds one) {
      constexpr std::size_t kMostKinds = 64;
      if (std::ranges::any_of(all, [&](const OfKinds& other) { return other.kinds == one.kinds; })) return;
      if (all.size() == kMostKinds) all.clear();
      all.push_back(std::move(one));
    }

    // `given` has the values.
    nb::object call(JobCall& call, const std::vector<Variable>& given) const try {
      std::vector<PyObject*> inputs;
      std::vector<graft::Number> numbers;
      for (const Variable& one : given)
        if (one.type) inputs.push_back(one.value);
        else numbers.push_back(number_of(one.value));
      call.inputs = inputs;
      if (!formula) return all.empty() ? nb::object() : std::shared_ptr(all.front().kernel)->call(call);
      const graft::WeakValues values = formula->values(numbers);
      const auto of_kinds = std::ranges::find(all, values.kinds(), &OfKinds::kinds);
      if (of_kinds == all.end()) return {};
      const graft::Parameters parameters = of_kinds->callback->parameters(values);
      if (parameters.state().type.size > 0) call.state = parameters.state();
      return std::shared_ptr(of_kinds->kernel)->call(call);  // which another thread may make this object forget
    } catch (const graft::Error&) {
      return {};
    }
  };

  // The name of the one variable that a call does not name; null unless there is one.
  PyObject* name_left(const Arguments& arguments) const {
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

  static nb::object interned(nb::handle name) {
    PyObject* text = nb::borrow(name).release().ptr();
    PyUnicode_InternInPlace(&text);
    return nb::steal(text);
  }

  std::vector<nb::object> names_;
  std::vector<Known> known_;
};

using Caller = Called<JobServer>;
using FormulaCaller = Called<FormulaServer>;

}  // namespace

void bind_callers(nb::module_& module) {
  Caller::bind(module, "Caller", "A job: its ordinary calls take no Python code.");
  module.def(
      "keep_kernel",
      [](nb::handle job, nb::handle kernel, bool on_device, const std::vector<bool>& makes_outputs, bool has_between) {
        Caller::server_of(job).keep(on_device, JobKernel::of(kernel, makes_outputs, has_between));
      },
      "job"_a, "kernel"_a, "on_device"_a, "makes_outputs"_a, "has_between"_a = false,
      "Lets ordinary calls of a Caller be made by a kernel. `makes_outputs`: whether calls without out= are ordinary; of "
      "an FFT, those forward and those of the inverse.");
  FormulaCaller::bind(module, "FormulaCaller", "A formula without types: calls like earlier ones take no Python code.");
  module.def(
      "set_names",
      [](nb::handle formula, const nb::list& names) { FormulaCaller::server_of(formula).set_names(names); },
      "formula"_a, "names"_a, "Names the variables of a FormulaCaller, of which a call may leave one out.");
  module.def(
      "keep_call",
      [](nb::handle formula, const nb::dict& variables, const std::optional<graft::WeakFormula>& weak,
         const std::optional<graft::WeakCallback>& callback, const std::string& kinds, nb::handle job) {
        FormulaCaller::server_of(formula).keep(variables, weak, callback, kinds, Caller::server_of(job));
      },
      "formula"_a, "variables"_a, "weak"_a.none(), "callback"_a.none(), "kinds"_a, "job"_a,
      "Lets calls of a FormulaCaller with such variables, and numbers of such kinds, be made by a job's kernel.");
}

}  // namespace graft_python
