// Classes of Python whose objects are called without Python code where a class of C++ can serve the call; every other
// call goes to the method _call_any, which derived classes have in Python.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <vector>

#if PY_VERSION_HEX < 0x030c0000
#include <structmember.h>
#define Py_T_PYSSIZET T_PYSSIZET
#define Py_READONLY READONLY
#endif

namespace graft_python {
namespace nb = nanobind;

// The arguments of a call: those by place, then those by name. The caller keeps them.
struct Arguments {
  PyObject* const* values;
  std::size_t number;  // of those by place
  PyObject* names;     // a tuple; may be null

  std::size_t words() const { return names ? static_cast<std::size_t>(PyTuple_Size(names)) : 0; }
  PyObject* name(std::size_t word) const { return PyTuple_GetItem(names, static_cast<Py_ssize_t>(word)); }
  PyObject* value(std::size_t word) const { return values[number + word]; }
};

// `Server` has a default constructor, and a function that returns the result of a call, or a null object, without an
// exception and with nothing done, if it does not serve the call:
//
//     nb::object call(const Arguments& arguments) const
//
// Where this function gives up Python's lock, or may run Python code, which reading an array may do, the server may be
// changed by other calls.
template <class Server>
class Called {
 public:
  // Puts the class into a module.
  static void bind(nb::module_& module, const char* class_name, const char* text) {
    static PyMemberDef members[] = {
        {"__vectorcalloffset__", Py_T_PYSSIZET, offsetof(Object, function), Py_READONLY, nullptr}, {}};
    static PyType_Slot slots[] = {{Py_tp_new, reinterpret_cast<void*>(make)},
                                  {Py_tp_init, reinterpret_cast<void*>(forget)},
                                  {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                                  {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
                                  {Py_tp_members, members},
                                  {Py_tp_doc, const_cast<char*>(text)},
                                  {0, nullptr}};
    static const std::string name = nb::cast<std::string>(module.attr("__name__")) + '.' + class_name;
    static PyType_Spec spec = {name.c_str(), sizeof(Object), 0,  // Python keeps the pointer to the name
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    const nb::object made = nb::steal(PyType_FromSpec(&spec));
    if (!made) nb::raise_python_error();
    type_ = reinterpret_cast<PyTypeObject*>(made.ptr());
    module.attr(class_name) = made;
  }

  // Throws nb::type_error for an object of another class.
  static Server& server_of(nb::handle object) {
    if (!PyObject_TypeCheck(object.ptr(), type_)) throw nb::type_error("an object of another class was given");
    return *object_of(object.ptr())->server;
  }

 private:
  struct Object {
    PyObject_HEAD vectorcallfunc function;
    Server* server;
  };

  static Object* object_of(PyObject* object) { return reinterpret_cast<Object*>(object); }

  static PyObject* make(PyTypeObject* type, PyObject*, PyObject*) {
    const auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
    PyObject* const made = allocate(type, 0);
    if (!made) return nullptr;
    object_of(made)->function = call;
    object_of(made)->server = new (std::nothrow) Server;
    if (object_of(made)->server) return made;
    Py_DECREF(made);
    return PyErr_NoMemory();
  }

  // What __init__ does: a second one begins anew.
  static int forget(PyObject* self, PyObject*, PyObject*) {
    *object_of(self)->server = Server();
    return 0;
  }

  static void destroy(PyObject* self) {
    delete object_of(self)->server;
    PyTypeObject* const type = Py_TYPE(self);
    reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
  }

  static PyObject* call(PyObject* self, PyObject* const* values, std::size_t flags_and_number, PyObject* names) {
    const Arguments arguments{values, static_cast<std::size_t>(PyVectorcall_NARGS(flags_and_number)), names};
    try {
      if (nb::object result = object_of(self)->server->call(arguments)) return result.release().ptr();
      return call_any(self, arguments);
    } catch (nb::python_error& error) {
      error.restore();
    } catch (const std::bad_alloc&) {
      PyErr_NoMemory();
    } catch (const std::exception& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
    return nullptr;
  }

  static PyObject* call_any(PyObject* self, const Arguments& arguments) {
    static PyObject* const method = PyUnicode_InternFromString("_call_any");
    std::vector<PyObject*> all = {self};
    all.insert(all.end(), arguments.values, arguments.values + arguments.number + arguments.words());
    return PyObject_VectorcallMethod(method, all.data(), arguments.number + 1, arguments.names);
  }

  inline static PyTypeObject* type_ = nullptr;  // lives as long as the module
};

}  // namespace graft_python
