// Serves the calls of a formula without types that are like calls before (called.hpp).
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <graft/element.hpp>
#include <graft/formula.hpp>

#include "called.hpp"
#include "job_kernel.hpp"
#include "job_server.hpp"

namespace graft_python {
namespace nb = nanobind;

// A call with variables of the same names and types, in the same order, and with numbers of the same kinds is made by
// the same kernel.
class FormulaServer {
 public:
  nb::object call(const Arguments& arguments) const;

  // The names of all variables. A call may leave one of them out.
  void set_names(const nb::list& names);

  // Keeps a call. `formula` and `callback` are nothing for one without numbers; `kinds` are those of the numbers.
  void keep(const nb::dict& variables, const std::optional<graft::WeakFormula>& formula,
            const std::optional<graft::WeakCallback>& callback, const std::string& kinds, const JobServer& job);

 private:
  // A variable of a call: an array of a type, or a number of Python.
  struct Variable {
    PyObject* name;                          // interned
    std::optional<graft::ElementType> type;  // of an array

    bool is_like(const Variable& other) const;
  };

  // A kernel for numbers of certain kinds.
  struct OfKinds {
    std::string kinds;
    std::optional<graft::WeakCallback> callback;
    std::shared_ptr<const ServedKernel> served;
  };

  // Calls with variables of certain names and types.
  struct Known {
    std::vector<nb::object> names;
    std::vector<Variable> variables;
    bool on_device = false;
    std::optional<graft::WeakFormula> formula;
    std::vector<OfKinds> all;

    bool is_like(const std::vector<Variable>& others, bool are_on_device) const;
    void keep(OfKinds one);
    nb::object call(JobCall& call, const std::vector<graft::Number>& numbers) const;
  };

  static std::optional<Variable> variable_of(PyObject* name, PyObject* value, bool& on_device);
  PyObject* name_left(const Arguments& arguments) const;
  std::size_t find(const std::vector<Variable>& variables, bool on_device) const;

  std::vector<nb::object> names_;
  std::vector<Known> known_;
};

}  // namespace graft_python
