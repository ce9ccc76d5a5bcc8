// The extension module of the package: graft's classes, and the translation of graft::Error into the package's
// exception. The classes that people use are in Python (src/graft_cuda); this module is private to them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <exception>

#include <graft/error.hpp>
#include <graft/version.hpp>

#include "arrays.hpp"
#include "caller.hpp"
#include "values.hpp"

namespace nb = nanobind;

namespace {

nb::list diagnostics_of(const graft::Error& error) {
  nb::list all;
  for (const graft::Diagnostic& one : error.diagnostics())
    all.append(nb::make_tuple(one.file, one.line, one.column, std::string(graft::name(one.severity)), one.text,
                              one.near, one.suggestion));
  return all;
}

nb::dict versions_of(const graft::Error& error) {
  nb::dict all;
  for (const graft::ToolVersion& one : error.versions()) all[one.tool.c_str()] = one.version;
  return all;
}

// A log holds what a compiler printed, which need not be UTF-8.
nb::object text_of(const std::string& bytes) {
  return nb::steal(PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace"));
}

void translate(const std::exception_ptr& exception, void*) {
  try {
    std::rethrow_exception(exception);
  } catch (const graft::Error& error) {
    const nb::module_ module = nb::module_::import_("graft_cuda._error");
    const nb::object type = module.attr("GraftError");
    const nb::object value = module.attr("from_core")(
        nb::str(graft::name(error.code()).data()), text_of(error.message()), text_of(error.remedy()),
        text_of(error.log()), versions_of(error), diagnostics_of(error), text_of(error.what()));
    PyErr_SetObject(type.ptr(), value.ptr());
  }
}

}  // namespace

NB_MODULE(_core, module) {
  // Objects that live when Python ends are harmless: the operating system takes their memory, and what the caches keep
  // on disk is there already. Programs have such objects: in daemon threads, or where their C extensions keep them.
  // graft prints nothing, so it does not print them either, unless a test asks for it.
  nb::set_leak_warnings(false);
  module.def("report_leaks", [] { nb::set_leak_warnings(true); });
  nb::register_exception_translator(translate);
  module.attr("version") = GRAFT_VERSION_STRING;
  graft_python::bind_arrays(module);
  graft_python::bind_values(module);
  graft_python::bind_jobs(module);
  graft_python::bind_kernels(module);
  graft_python::bind_callers(module);
}
