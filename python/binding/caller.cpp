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

// A name as Python has it once, so that its address tells it apart.
nb::object interned(nb::handle name) {
  PyObject* text = nb::borrow(name).release().ptr();
  PyUnicode_InternInPlace(&text);
  return nb::steal(text);
}

bool is_number(PyObject* value) {
  return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value);
}

// ---- Jobs ----

// Makes the bytes of a state of numbers from those that a call gives, each member once.
class StatePacker {
 public:
  // `pack` is that of a struct.Struct.
  StatePacker(const nb::tuple& names, nb::object pack) : pack_(std::move(pack)) {
    for (const nb::handle name : names) names_.push_back(interned(name));
  }

  std::size_t size() const noexcept { return names_.size(); }

  std::optional<std::size_t> find(PyObject* name) const {
    const auto found = std::ranges::find(names_, name, &nb::object::ptr);
    return found == names_.end() ? std::nullopt : std::optional<std::size_t>(found - names_.begin());
  }

  // The members of a dictionary. False if these are others.
  bool read(PyObject* given, std::vector<PyObject*>& members) const {
    if (!PyDict_CheckExact(given) || PyDict_Size(given) != std::ssize(names_)) return false;
    for (std::size_t i = 0; i < names_.size(); ++i) members[i] = PyDict_GetItemWithError(given, names_[i].ptr());
    return !PyErr_Occurred();
  }

  // Nothing, without an exception, if a member was not given, is no number of Python, or does not fit.
  nb::object pack(const std::vector<PyObject*>& members) const {
    if (!std::ranges::all_of(members, [](PyObject* one) { return one && is_number(one); })) return {};
    PyObject* const packed = PyObject_Vectorcall(pack_.ptr(), members.data(), members.size(), nullptr);
    if (!packed) PyErr_Clear();
    return nb::steal(packed);
  }

 private:
  std::vector<nb::object> names_;
  nb::object pack_;
};

// A kernel of a job, and how its state is made.
struct ServedKernel {
  std::shared_ptr<const JobKernel> kernel;
  std::optional<StatePacker> packer;  // nothing for a state that Python code makes
  bool has_members_by_place = false;  // whether members follow the inputs in a call
};

// The kernels of a job. Streams, and states of other things than numbers, are read by Python code.
class JobServer {
 public:
  nb::object call(const Arguments& arguments) const {
    const Reader* const reader = arguments.number > 0 ? reader_of(arguments.values[0]) : nullptr;
    const ServedKernel* const served = reader ? &this->served(reader->is_on_device()) : nullptr;
    if (!served || !served->kernel) return {};
    JobCall call{.inputs = {arguments.values, arguments.number}};
    if (!served->packer) {
      for (std::size_t i = 0; i < arguments.words(); ++i)
        if (!call.set(arguments.name(i), arguments.value(i))) return {};
      return served->kernel->call(call);
    }
    const nb::object state = state_of(*served, arguments, call);
    if (!state) return {};
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(state.ptr(), &bytes, &size) != 0) nb::raise_python_error();
    const std::optional<graft::ElementType> type = served->kernel->state();
    if (!type || type->size != static_cast<std::size_t>(size)) return {};
    call.state = {bytes, *type};
    return served->kernel->call(call);
  }

  const ServedKernel& served(bool on_device) const { return on_device ? on_device_ : on_host_; }

  // The first kernel stays, because calls may use it.
  void keep(bool on_device, ServedKernel kernel) {
    ServedKernel& place = on_device ? on_device_ : on_host_;
    if (!place.kernel) place = std::move(kernel);
  }

 private:
  // Reads the arguments of a call with a state. Returns its bytes, or a null object if the call is no ordinary one.
  static nb::object state_of(const ServedKernel& served, const Arguments& arguments, JobCall& call) {
    static PyObject* const state = PyUnicode_InternFromString("state");
    const StatePacker& packer = *served.packer;
    std::vector<PyObject*> members(packer.size());
    if (served.has_members_by_place) {
      const std::size_t inputs = served.kernel->inputs();
      if (arguments.number < inputs || arguments.number - inputs > members.size()) return {};
      call.inputs = call.inputs.first(inputs);
      std::copy(arguments.values + inputs, arguments.values + arguments.number, members.begin());
    }
    bool has_members = arguments.number > call.inputs.size();
    for (std::size_t i = 0; i < arguments.words(); ++i) {
      PyObject* const name = arguments.name(i);
      if (call.set(name, arguments.value(i))) continue;
      if (name == state) {  // also where a member has this name
        if (has_members || !packer.read(arguments.value(i), members)) return {};
      } else {
        const std::optional<std::size_t> member = packer.find(name);
        if (!member || members[*member]) return {};
        members[*member] = arguments.value(i);
      }
      has_members = true;
    }
    return packer.pack(members);
  }

  ServedKernel on_host_, on_device_;
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
  if (is_number(value) || PyComplex_CheckExact(value)) return Variable{name, value, {}};
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
    const std::shared_ptr<const JobKernel>& kernel = job.served(made.on_device).kernel;
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
      [](nb::handle job, nb::handle kernel, bool on_device, const std::vector<bool>& makes_outputs, bool has_between,
         const std::optional<nb::tuple>& members, nb::object pack, bool has_members_by_place) {
        ServedKernel served{JobKernel::of(kernel, makes_outputs, has_between), {}, has_members_by_place};
        if (members) served.packer.emplace(*members, std::move(pack));
        Caller::server_of(job).keep(on_device, std::move(served));
      },
      "job"_a, "kernel"_a, "on_device"_a, "makes_outputs"_a, "has_between"_a = false, "members"_a = nb::none(),
      "pack"_a = nb::none(), "has_members_by_place"_a = false,
      "Lets ordinary calls of a Caller be made by a kernel. `makes_outputs`: whether calls without out= are ordinary; "
      "of an FFT, those forward and those of the inverse. `members` are the names of the state's numbers, and `pack` "
      "makes its bytes from them.");
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
