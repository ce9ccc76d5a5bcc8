// Binds Callback, Signature, Image and Engine. Values are read where they are asked for; what can take time
// releases Python's lock.
#include "values.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <complex>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>

#include <graft/callback.hpp>
#include <graft/engine.hpp>
#include <graft/formula.hpp>
#include <graft/generic.hpp>
#include <graft/image.hpp>

#include "arrays.hpp"
#include "fail.hpp"
#include "lock.hpp"
#include "options.hpp"

namespace graft_python {
namespace nb = nanobind;
using namespace nb::literals;
using Unlocked = nb::call_guard<WithoutLock>;

std::vector<graft::Architecture> architectures_of(const std::vector<std::string>& names) {
  std::vector<graft::Architecture> all;
  for (const std::string& name : names) all.push_back(graft::Architecture::parse(name));
  return all;
}

graft::PrecompileFormat format_of(const std::string& name) {
  using graft::PrecompileFormat;
  std::string valid;
  for (const PrecompileFormat format :
       {PrecompileFormat::Pack, PrecompileFormat::PackWithCubins, PrecompileFormat::LtoIr, PrecompileFormat::Fatbin,
        PrecompileFormat::Ptx, PrecompileFormat::Cubin}) {
    if (name == graft::name(format)) return format;
    valid += (valid.empty() ? "" : ", ") + std::string(graft::name(format));
  }
  fail(graft::ErrorCode::InvalidArgument, '"' + name + "\" is no format", "Pass one of " + valid + ".");
}

std::span<const std::byte> span_of(const nb::bytes& bytes) {
  return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
}

nb::bytes bytes_of(std::span<const std::byte> bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

ReportTexts texts_of(const graft::Report& report) {
  return {report.to_text(), report.to_json()};
}

namespace {

using graft::Callback;

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::vector<graft::Variable> variables_of(const Pairs& given) {
  std::vector<graft::Variable> all;
  for (const auto& [name, type] : given) all.emplace_back(name, type);
  return all;
}

Pairs pairs_of(const std::vector<graft::Variable>& variables) {
  Pairs given;
  for (const graft::Variable& one : variables) given.emplace_back(one.name, short_name(one.type));
  return given;
}

std::vector<std::string> names_of(const std::vector<graft::ElementType>& types) {
  std::vector<std::string> names;
  for (const graft::ElementType& type : types) names.push_back(short_name(type));
  return names;
}

// A state: its type as text, its short name, its size and its alignment.
using StateType = std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>;

std::optional<StateType> state_of(const graft::Signature& signature) {
  for (const graft::Parameter& parameter : signature.parameters())
    if (parameter.role == graft::Role::State || parameter.role == graft::Role::Baked)
      return StateType(parameter.spelling, short_name(parameter.type), parameter.type.size, parameter.type.alignment);
  if (const auto& state = signature.state()) return StateType("", short_name(*state), state->size, state->alignment);
  return std::nullopt;
}

using Parts = std::vector<std::optional<Callback>>;

std::optional<std::pair<std::string, Parts>> composition_of(const Callback& callback) {
  const Callback::Composition* const composition = callback.composition();
  if (!composition) return std::nullopt;
  return std::pair(std::string(composition->kind == Callback::Composition::Staged ? "stages" : "chain"),
                   composition->parts);
}

void bind_callback(nb::module_& module) {
  nb::class_<Callback>(module, "Callback", nb::dynamic_attr(), nb::is_weak_referenceable(),
                       "A device function as CUDA C++ source or compiled. An immutable value.")
      .def(nb::init<std::string>(), "source"_a)
      .def_static("source", nb::overload_cast<std::string, std::string>(&Callback::source), "text"_a,
                  "name"_a = "callback.cu")
      .def_static(
          "ltoir",
          [](const nb::bytes& bytes, std::string name) { return Callback::ltoir(span_of(bytes), std::move(name)); },
          "bytes"_a, "name"_a = "callback.ltoir")
      .def_static(
          "fatbin",
          [](const nb::bytes& bytes, std::string name) { return Callback::fatbin(span_of(bytes), std::move(name)); },
          "bytes"_a, "name"_a = "callback.fatbin")
      .def_static(
          "object",
          [](const nb::bytes& bytes, std::string name) { return Callback::object(span_of(bytes), std::move(name)); },
          "bytes"_a, "name"_a = "callback.o")
      .def_static("ptx", nb::overload_cast<std::string, std::string>(&Callback::ptx), "text"_a,
                  "name"_a = "callback.ptx")
      .def_static(
          "nvvm",
          [](const std::string& text, bool libdevice, std::string name) {
            return Callback::nvvm(std::string_view(text),
                                  libdevice ? graft::Libdevice::With : graft::Libdevice::Without, std::move(name));
          },
          "text"_a, "libdevice"_a = false, "name"_a = "callback.ll")
      .def_static(
          "pack",
          [](const nb::bytes& bytes, std::string name) { return Callback::pack(span_of(bytes), std::move(name)); },
          "bytes"_a, "name"_a = "callback.graft")
      .def_static("file", nb::overload_cast<const std::filesystem::path&>(&Callback::file), "path"_a)
      .def("with_folder", &Callback::with_folder, "folder"_a)
      .def("with_entry", nb::overload_cast<std::string>(&Callback::with_entry, nb::const_), "entry"_a)
      .def("with_signature", nb::overload_cast<std::string>(&Callback::with_signature, nb::const_), "signature"_a)
      .def("with_link_input", &Callback::with_link_input, "binary"_a)
      .def_static(
          "ready_made", [](const std::string& name) { return Callback::ready_made(name); }, "name"_a,
          "One of the callbacks of callbacks/README.md: \"relu\".")
      .def(
          "with_types",
          [](const Callback& callback, const std::string& types) {
            return graft::GenericCallback(callback).instance(graft::types(types));
          },
          "types"_a,
          "The instance of a template, or of a lambda with auto parameters, for arrays of these types: \"f32, f64\".")
      .def_prop_ro(
          "takes_types", [](const Callback& callback) { return graft::GenericCallback(callback).takes_types(); },
          "Whether it is a template or a lambda with auto parameters, or has such a part, whose types are not known.")
      .def_prop_ro("form", [](const Callback& callback) { return std::string(graft::name(callback.form())); })
      .def_prop_ro("name", [](const Callback& callback) { return callback.name(); })
      .def_prop_ro("entry", [](const Callback& callback) { return callback.entry(); })
      .def_prop_ro("signature", [](const Callback& callback) { return callback.signature(); })
      .def_prop_ro("bytes", [](const Callback& callback) { return bytes_of(callback.bytes()); })
      .def_prop_ro("folder", [](const Callback& callback) { return callback.folder(); })
      .def_prop_ro("libdevice", [](const Callback& callback) { return callback.libdevice() == graft::Libdevice::With; })
      .def_prop_ro("link_inputs", [](const Callback& callback) { return callback.link_inputs(); })
      .def_prop_ro("composition", &composition_of,
                   "Of a composition: whether it is a chain or stages, and its parts. Else None.")
      .def(
          "__eq__",
          [](const Callback& callback, nb::handle other) {
            return nb::isinstance<Callback>(other) && callback == nb::cast<const Callback&>(other);
          },
          "other"_a.none(), nb::sig("def __eq__(self, other: typing.Any) -> bool"))
      .def("__hash__", [](const Callback& callback) { return static_cast<Py_ssize_t>(callback.hash() >> 1); })
      .def("__repr__", [](const Callback& callback) {
        return "<graft_cuda.Callback " + callback.name() + ", " + std::string(graft::name(callback.form())) + ">";
      });
  module.def(
      "chain", [](const std::vector<Callback>& parts) { return graft::chain(parts); }, "parts"_a);
  module.def(
      "stages",
      [](std::optional<Callback> load, std::optional<Callback> op, std::optional<Callback> store) {
        return Callback(graft::Stages{std::move(load), std::move(op), std::move(store)});
      },
      "load"_a.none(), "op"_a.none(), "store"_a.none());
  module.def(
      "formula",
      [](const std::string& text, const Pairs& inputs, const Pairs& parameters) {
        return graft::formula(text, variables_of(inputs), variables_of(parameters));
      },
      "text"_a, "inputs"_a, "parameters"_a);
  module.def("formula_variables", [](const std::string& line) {
    const graft::FormulaVariables all = graft::formula_variables(line);
    return std::pair(pairs_of(all.inputs), pairs_of(all.parameters));
  });
}

// ---- numbers without types ----

// An integer of more than 128 bits becomes a floating-point number, as one of a formula does.
graft::Number integer_of(nb::handle value) {
  int overflow = 0;
  const long long small = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow == 0) return small;
  try {
    const auto bytes = nb::cast<nb::bytes>(value.attr("to_bytes")(16, "little", "signed"_a = true));
    graft::detail::Int128 wide = 0;
    std::memcpy(&wide, bytes.data(), sizeof wide);
    return wide;
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_OverflowError)) throw;
  }
  const double real = PyLong_AsDouble(value.ptr());
  if (!PyErr_Occurred()) return real;
  PyErr_Clear();
  fail(graft::ErrorCode::InvalidArgument, "a number of the call is larger than every floating-point number",
       "Pass a smaller number.");
}

void set(graft::Parameters& parameters, const std::string& name, const graft::Number& value) {
  using Kind = graft::Number::Kind;
  if (value.kind() == Kind::Complex) parameters.set(name, value.value());
  else if (value.kind() == Kind::Real) parameters.set(name, value.value().real());
  else if (value.integer() < 0) parameters.set(name, static_cast<std::int64_t>(value.integer()));
  else parameters.set(name, static_cast<std::uint64_t>(value.integer()));
}

void bind_weak_formulas(nb::module_& module) {
  using graft::WeakCallback, graft::WeakFormula, graft::WeakValues;
  nb::class_<WeakValues>(module, "WeakValues", "The values of a formula's expressions of numbers without types.")
      .def_prop_ro("kinds", &WeakValues::kinds);
  nb::class_<WeakCallback>(module, "WeakCallback", "A callback for numbers of certain kinds.")
      .def_prop_ro("callback", [](const WeakCallback& weak) { return Callback(weak.callback()); })
      .def_prop_ro("members", [](const WeakCallback& weak) { return pairs_of(weak.members()); })
      .def(
          "state",
          [](const WeakCallback& weak, const WeakValues& values, const nb::dict& typed) {
            graft::Parameters parameters = weak.parameters(values);
            for (const auto& [name, value] : typed) set(parameters, nb::cast<std::string>(name), number_of(value));
            const graft::StateRef state = parameters.state();
            return nb::bytes(state.bytes, state.type.size);
          },
          "values"_a, "typed"_a, "The bytes of the state. `typed` has the numbers that have types.");
  nb::class_<WeakFormula>(module, "WeakFormula", "A formula some of whose parameters have no types.")
      .def(
          "__init__",
          [](WeakFormula* made, const std::string& text, const Pairs& inputs, std::vector<std::string> weak,
             const Pairs& parameters) {
            new (made) WeakFormula(text, variables_of(inputs), std::move(weak), variables_of(parameters));
          },
          "text"_a, "inputs"_a, "weak"_a, "parameters"_a)
      .def(
          "values",
          [](const WeakFormula& formula, const nb::list& numbers) {
            std::vector<graft::Number> all;
            all.reserve(numbers.size());
            for (const nb::handle one : numbers) all.push_back(number_of(one));
            return formula.values(all);
          },
          "numbers"_a)
      .def("callback", &WeakFormula::callback, "values"_a);
}

void bind_results(nb::module_& module) {
  nb::class_<graft::Signature>(module, "Signature", "The roles and types of a callback's parameters and result.")
      .def_prop_ro("text", &graft::Signature::text)
      .def_prop_ro("inputs", [](const graft::Signature& signature) { return names_of(signature.inputs()); })
      .def_prop_ro("outputs", [](const graft::Signature& signature) { return names_of(signature.outputs()); })
      .def_prop_ro("output_sizes",
                   [](const graft::Signature& signature) {
                     std::vector<std::size_t> sizes;
                     for (const graft::ElementType& type : signature.outputs()) sizes.push_back(type.size);
                     return sizes;
                   })
      .def_prop_ro("is_selective", &graft::Signature::is_selective)
      .def_prop_ro("in_outs", [](const graft::Signature& signature) { return signature.in_outs(); })
      .def_prop_ro("state", &state_of, "The state: its type as text, its short name, its size and its alignment.")
      .def_prop_ro("accumulator",
                   [](const graft::Signature& signature) -> std::optional<std::string> {
                     if (!signature.accumulator()) return std::nullopt;
                     return short_name(*signature.accumulator());
                   })
      .def("describe", &graft::Signature::describe)
      .def("__repr__",
           [](const graft::Signature& signature) { return "<graft_cuda.Signature " + signature.text() + ">"; });
  nb::class_<graft::Image>(module, "Image", "A kernel that is linked for one architecture.")
      .def_prop_ro("bytes", [](const graft::Image& image) { return bytes_of(image.bytes()); })
      .def_prop_ro("signature", [](const graft::Image& image) { return image.signature(); })
      .def_prop_ro("report_text", [](const graft::Image& image) { return image.report().to_text(); })
      .def_prop_ro("report_json", [](const graft::Image& image) { return image.report().to_json(); });
}

void bind_engine(nb::module_& module) {
  using graft::Engine;
  nb::class_<Engine>(module, "Engine", "What kernels share: the toolkit, the caches, worker threads and counters.")
      .def(
          "__init__", [](Engine* place, const nb::dict& options) { new (place) Engine(engine_options_of(options)); },
          "options"_a)
      .def_prop_ro("counters",
                   [](const Engine& engine) {
                     const graft::Counters c = engine.counters();
                     return std::map<std::string, std::uint64_t>{
                         {"creates", c.creates},
                         {"memory_hits", c.memory_hits},
                         {"layer_hits", c.layer_hits},
                         {"disk_hits", c.disk_hits},
                         {"misses", c.misses},
                         {"builds", c.builds},
                         {"failed_builds", c.failed_builds},
                         {"waits", c.waits},
                         {"process_waits", c.process_waits},
                         {"loads", c.loads},
                         {"rejected_entries", c.rejected_entries},
                         {"bytes_read", c.bytes_read},
                         {"bytes_written", c.bytes_written},
                     };
                   })
      .def("release_unused", &Engine::release_unused, Unlocked())
      .def("preload", &Engine::preload, Unlocked())
      .def("describe_tools", &Engine::describe_tools, Unlocked());
}

}  // namespace

graft::Number number_of(nb::handle value) {
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (PyLong_Check(value.ptr())) return integer_of(value);
  if (PyFloat_Check(value.ptr())) return PyFloat_AsDouble(value.ptr());
  if (PyComplex_Check(value.ptr()))
    return std::complex(PyComplex_RealAsDouble(value.ptr()), PyComplex_ImagAsDouble(value.ptr()));
  throw nb::type_error("a number of a formula is no bool, int, float or complex");
}

void bind_values(nb::module_& module) {
  bind_callback(module);
  bind_weak_formulas(module);
  bind_results(module);
  bind_engine(module);
}

}  // namespace graft_python
