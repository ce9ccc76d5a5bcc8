#include "caller.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <graft/formula.hpp>

#include "called.hpp"
#include "formula_server.hpp"
#include "job_kernel.hpp"
#include "job_server.hpp"
#include "launch_server.hpp"
#include "readers.hpp"
#include "state_packer.hpp"

namespace graft_python {
namespace nb = nanobind;
using namespace nb::literals;
namespace {

using Caller = Called<JobServer>;
using FormulaCaller = Called<FormulaServer>;
using KernelCaller = Called<LaunchServer>;

// Size, type as C++ spells it (if the kernel's symbol shows it), short name as a number (if it is one), and whether the
// kernel can write through it.
using Parameter = std::tuple<std::size_t, std::optional<std::string>, std::optional<std::string>, bool>;

std::vector<LaunchParameter> parameters_of(const std::vector<Parameter>& given) {
  std::vector<LaunchParameter> all;
  for (const auto& [size, type, number, is_written] : given) {
    LaunchParameter& one = all.emplace_back(LaunchParameter{size, type.has_value(), {}, is_written});
    if (number) one.number = graft::ElementType::named(*number);
  }
  return all;
}

}  // namespace

void bind_callers(nb::module_& module) {
  Caller::bind(module, "Caller", "A job: its ordinary calls take no Python code.");
  nb::class_<StatePacker>(module, "StatePacker", "Makes the bytes of a state of numbers and pointers.")
      .def(nb::init<const nb::tuple&, const std::vector<StatePacker::Pointer>&, nb::object>(), "names"_a, "pointers"_a,
           "pack"_a,
           "`pointers` has for each member that is a pointer the short names of the numbers to which it may point, a "
           "number of which its address is a multiple, whether it takes all types, and whether it is to const; `pack` "
           "is the method of a struct.Struct.");
  module.def(
      "keep_kernel",
      [](nb::handle job, nb::handle kernel, bool on_device, const std::vector<bool>& makes_outputs, bool has_between,
         const std::optional<StatePacker>& packer, bool has_members_by_place) {
        Caller::server_of(job).keep(on_device,
                                    {JobKernel::of(kernel, makes_outputs, has_between), packer, has_members_by_place});
      },
      "job"_a, "kernel"_a, "on_device"_a, "makes_outputs"_a, "has_between"_a = false, "packer"_a = nb::none(),
      "has_members_by_place"_a = false,
      "Lets ordinary calls of a Caller be made by a kernel. `makes_outputs`: whether calls without out= are ordinary; "
      "of an FFT, those forward and those of the inverse.");
  module.def(
      "keep_instance",
      [](nb::handle job, const nb::tuple& inputs, nb::handle instance) {
        Caller::server_of(job).keep_instance(items_of(inputs), Caller::server_of(instance));
      },
      "job"_a, "inputs"_a, "instance"_a,
      "Lets ordinary calls of a Caller with inputs of these types be made by another one.");
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
  KernelCaller::bind(module, "KernelCaller", "A kernel of the user's own: its ordinary launches take no Python code.");
  module.def(
      "set_kernel",
      [](nb::handle caller, const graft::Kernel& kernel, const std::vector<Parameter>& parameters) {
        KernelCaller::server_of(caller).set(kernel, parameters_of(parameters));
      },
      "caller"_a, "kernel"_a, "parameters"_a,
      "Sets what a KernelCaller launches. A parameter has its size, its type as C++ spells it and its short name as a "
      "number, each if it has one, and whether the kernel can write through it.");
}

}  // namespace graft_python
