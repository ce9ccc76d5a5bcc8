#include "direct.hpp"

#include <dlfcn.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <graft/dlpack_view.hpp>
#include <graft/error.hpp>

#include "arrays.hpp"
#include "dlpack.hpp"

namespace graft_python {
namespace {

using graft::ArrayRef;
using graft::ElementKind;
using graft::ElementType;

// Clears an exception, which makes the call no ordinary one. KeyboardInterrupt and its kind are passed on.
void forget() {
  if (!PyErr_Occurred()) return;
  if (!PyErr_ExceptionMatches(PyExc_Exception)) nb::raise_python_error();
  PyErr_Clear();
}

// A name of Python that is made once. It is never given back: a module may end after Python has.
PyObject* name(const char* text) {
  return PyUnicode_InternFromString(text);
}

// An attribute; a null object, without an exception, where there is none.
nb::object attribute(PyObject* object, PyObject* its_name) {
  PyObject* const found = PyObject_GetAttr(object, its_name);
  if (!found) forget();
  return nb::steal(found);
}

// Whether an attribute, or what it returns if it is a method, is true, or is not there.
bool is_true(PyObject* object, PyObject* its_name, bool is_method) {
  const nb::object found =
      is_method ? nb::steal(PyObject_VectorcallMethod(its_name, &object, 1, nullptr)) : attribute(object, its_name);
  if (!found) forget();
  return found.ptr() != Py_False;
}

// The result of a function with one argument; a null object, without an exception, if it raises one.
nb::object called(PyObject* function, PyObject* argument) {
  PyObject* const result = PyObject_Vectorcall(function, &argument, 1, nullptr);
  if (!result) forget();
  return nb::steal(result);
}

std::optional<std::int64_t> integer(PyObject* object) {
  if (!object || !PyLong_Check(object)) return {};
  const long long value = PyLong_AsLongLong(object);
  if (value != -1 || !PyErr_Occurred()) return value;
  forget();
  return {};
}

std::optional<std::int64_t> integer(PyObject* object, PyObject* its_name) {
  return integer(attribute(object, its_name).ptr());
}

// The arrays of one class of Python. Its functions return false or nothing for what is no ordinary array, and leave no
// exception.
class Reader {
 public:
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  virtual ~Reader() = default;
  virtual bool read(PyObject* object, ReadArray& array) const = 0;
  virtual std::optional<std::intptr_t> stream(int device) const = 0;

  // A new array of an array's type, shape and place.
  nb::object empty_like(PyObject* array) const { return called(empty_like_.ptr(), array); }

 protected:
  explicit Reader(const char* library) : empty_like_(nb::module_::import_(library).attr("empty_like")) {}

 private:
  nb::object empty_like_;
};

class TorchReader : public Reader {
 public:
  explicit TorchReader(const DlExchange& functions) : Reader("torch"), functions_(functions) {}

  bool read(PyObject* object, ReadArray& array) const override {
    // What PyTorch computes only when it must, or may have to differentiate, is not in the tensor's memory.
    if (is_true(object, requires_grad_, false) || is_true(object, is_neg_, true)) return false;
    DlTensor tensor = {};
    if (functions_.tensor_from_object(object, &tensor) != 0) {
      forget();
      return false;
    }
    if (tensor.device_type != kDlCuda || tensor.ndim < 0 ||
        static_cast<std::size_t>(tensor.ndim) > ReadArray::kMostDimensions || (tensor.ndim > 0 && !tensor.strides))
      return false;
    array.type = graft::detail::element_of_dlpack(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes);
    if (array.type.kind == ElementKind::Complex && is_true(object, is_conj_, true)) return false;
    array.pointer = static_cast<char*>(tensor.data) + tensor.byte_offset;
    array.device = tensor.device_id;
    array.rank = static_cast<std::uint32_t>(tensor.ndim);
    for (std::uint32_t d = 0; d < array.rank; ++d) {
      array.shape[d] = tensor.shape[d];
      array.strides[d] = array.shape[d] > 1 ? tensor.strides[d] : 1;
    }
    return true;
  }

  std::optional<std::intptr_t> stream(int device) const override {
    void* stream = nullptr;
    if (functions_.current_stream(kDlCuda, device, &stream) != 0) {
      forget();
      return {};
    }
    return reinterpret_cast<std::intptr_t>(stream);
  }

 private:
  const DlExchange& functions_;
  PyObject* const requires_grad_ = name("requires_grad");
  PyObject* const is_neg_ = name("is_neg");
  PyObject* const is_conj_ = name("is_conj");
};

class CuPyReader : public Reader {
 public:
  CuPyReader()
      : Reader("cupy"), current_stream_(nb::module_::import_("cupy").attr("cuda").attr("get_current_stream")) {}

  bool read(PyObject* object, ReadArray& array) const override {
    const nb::object memory = attribute(object, data_);
    const nb::object shape = attribute(object, shape_), strides = attribute(object, strides_);
    if (!memory || !shape || !strides || !PyTuple_Check(shape.ptr()) || !PyTuple_Check(strides.ptr())) return false;
    const auto pointer = integer(memory.ptr(), ptr_), device = integer(memory.ptr(), device_id_);
    const std::optional<ElementType> type = type_of(attribute(object, dtype_));
    const auto rank = static_cast<std::size_t>(PyTuple_Size(shape.ptr()));
    if (!pointer || !device || !type || rank > ReadArray::kMostDimensions ||
        rank != static_cast<std::size_t>(PyTuple_Size(strides.ptr())))
      return false;
    array.pointer = reinterpret_cast<void*>(static_cast<std::intptr_t>(*pointer));
    array.device = static_cast<int>(*device);
    array.type = *type;
    array.rank = static_cast<std::uint32_t>(rank);
    for (std::size_t d = 0; d < rank; ++d) {
      const auto extent = integer(PyTuple_GetItem(shape.ptr(), static_cast<Py_ssize_t>(d)));
      const auto bytes = integer(PyTuple_GetItem(strides.ptr(), static_cast<Py_ssize_t>(d)));
      if (!extent || !bytes || (*extent > 1 && *bytes % type->size != 0)) return false;
      array.shape[d] = *extent;
      array.strides[d] = *extent > 1 ? *bytes / static_cast<std::int64_t>(type->size) : 1;
    }
    return true;
  }

  std::optional<std::intptr_t> stream(int device) const override {
    const nb::object number = nb::steal(PyLong_FromLong(device));
    const nb::object stream = called(current_stream_.ptr(), number.ptr());
    return stream ? integer(stream.ptr(), ptr_) : std::nullopt;
  }

 private:
  // Types by their dtype, of which NumPy has one object for each.
  std::optional<ElementType> type_of(const nb::object& dtype) const {
    constexpr std::size_t kMostTypes = 64;
    if (!dtype) return {};
    const auto known = types_.find(dtype.ptr());
    if (known != types_.end()) return known->second.second;
    if (types_.size() >= kMostTypes) return {};
    const std::optional<ElementType> type = read_type(dtype);
    if (type) types_.emplace(dtype.ptr(), std::pair(dtype, *type));
    return type;
  }

  static std::optional<ElementType> read_type(const nb::object& dtype) {
    static PyObject* const kind = name("kind");
    static PyObject* const bytes = name("itemsize");
    static PyObject* const is_native = name("isnative");
    const nb::object letter = attribute(dtype.ptr(), kind);
    const auto size = integer(dtype.ptr(), bytes);
    const nb::object native = attribute(dtype.ptr(), is_native);
    if (!letter || !PyUnicode_Check(letter.ptr()) || !size || native.ptr() != Py_True) return {};
    return number_of_kind(static_cast<char>(PyUnicode_ReadChar(letter.ptr(), 0)), static_cast<std::size_t>(*size));
  }

  const nb::object current_stream_;
  mutable std::unordered_map<PyObject*, std::pair<nb::object, ElementType>> types_;
  PyObject* const data_ = name("data");
  PyObject* const ptr_ = name("ptr");
  PyObject* const device_id_ = name("device_id");
  PyObject* const shape_ = name("shape");
  PyObject* const strides_ = name("strides");
  PyObject* const dtype_ = name("dtype");
};

// PyTorch's table of functions, if it is one that this file knows.
const DlExchange* exchange_of(nb::handle type) {
  static PyObject* const its_name = name("__dlpack_c_exchange_api__");
  const nb::object capsule = attribute(type.ptr(), its_name);
  constexpr const char* kCapsule = "dlpack_exchange_api";
  if (!capsule || !PyCapsule_IsValid(capsule.ptr(), kCapsule)) return nullptr;
  const auto* functions = static_cast<const DlExchange*>(PyCapsule_GetPointer(capsule.ptr(), kCapsule));
  while (functions && functions->major != 1) functions = functions->previous;
  return functions && functions->tensor_from_object && functions->current_stream ? functions : nullptr;
}

// Whether a type is this class of a library, and no subclass, which may compute what it shows. `module` is the type's;
// a library that nobody uses is not imported.
bool is_class(nb::handle type, const std::string& module, const std::string& library, const char* its_name) {
  return (module == library || module.starts_with(library + ".")) &&
         nb::module_::import_(library.c_str()).attr(its_name).is(type);
}

std::unique_ptr<const Reader> reader_for(nb::handle object) {
  const nb::handle type = object.type();
  try {
    const std::string module = module_name(object);
    if (is_class(type, module, "torch", "Tensor")) {
      const DlExchange* const functions = exchange_of(type);
      return functions ? std::make_unique<TorchReader>(*functions) : nullptr;
    }
    if (is_class(type, module, "cupy", "ndarray")) return std::make_unique<CuPyReader>();
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;  // else a library without one of the functions
  }
  return nullptr;
}

// Returns null for a class that is read by the protocols.
const Reader* reader_of(PyObject* object) {
  constexpr std::size_t kMostClasses = 256;
  struct Known {
    nb::object type;  // keeps its address its own
    std::unique_ptr<const Reader> reader;
  };
  // Never destroyed: the module may end after Python has.
  static auto& all = *new std::unordered_map<PyTypeObject*, Known>;
  PyTypeObject* const type = Py_TYPE(object);
  const auto known = all.find(type);
  if (known != all.end()) return known->second.reader.get();
  if (all.size() >= kMostClasses) return nullptr;
  Known made{nb::borrow(reinterpret_cast<PyObject*>(type)), reader_for(object)};
  return all.emplace(type, std::move(made)).first->second.reader.get();
}

// The device of the thread's current context. The driver is not linked; graft has loaded it if there is one.
std::optional<int> current_device() {
  using Function = int (*)(int*);
  static const Function function = []() -> Function {
    void* const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    return driver ? reinterpret_cast<Function>(dlsym(driver, "cuCtxGetDevice")) : nullptr;
  }();
  int device = 0;
  if (!function || function(&device) != 0) return {};
  return device;
}

// The arrays of a call. All are read by one reader, and are on one device.
class DirectArrays {
 public:
  explicit DirectArrays(const Reader& reader) : reader_(reader) {}

  bool add(PyObject* object) {
    if (reader_of(object) != &reader_ || number_ == all_.size()) return false;
    ReadArray& array = all_[number_];
    if (!reader_.read(object, array) || array.device != all_[0].device) return false;
    ++number_;
    return true;
  }

  // Adds outputs that are made like one of the inputs, all of which were added. False if they have another type or
  // shape.
  bool make_outputs(const std::vector<ElementType>& types, const nb::tuple& inputs, std::vector<nb::object>& made) {
    const std::size_t input_number = number_;
    for (const ElementType& type : types) {
      const auto like = std::ranges::find_if(all_.begin(), all_.begin() + input_number, [&](const ReadArray& one) {
        return graft::interchangeable(one.type, type) && one.is_dense() && has_largest_shape(one, input_number);
      });
      if (like == all_.begin() + input_number) return false;
      made.push_back(reader_.empty_like(nb::object(inputs[like - all_.begin()]).ptr()));
      if (!made.back() || !add(made.back().ptr())) return false;
    }
    return true;
  }

  std::vector<ArrayRef> refs(std::size_t begin, std::size_t end) const {
    std::vector<ArrayRef> refs;
    refs.reserve(end - begin);
    for (std::size_t i = begin; i < end; ++i) refs.push_back(all_[i].ref());
    return refs;
  }

  std::size_t size() const noexcept { return number_; }
  int device() const noexcept { return all_[0].device; }

 private:
  // Whether every input repeats to this one's shape.
  bool has_largest_shape(const ReadArray& one, std::size_t inputs) const {
    for (std::size_t i = 0; i < inputs; ++i) {
      if (all_[i].rank > one.rank) return false;
      for (std::uint32_t d = 0; d < all_[i].rank; ++d) {
        const std::int64_t extent = all_[i].shape[d];
        if (extent != 1 && extent != one.shape[one.rank - all_[i].rank + d]) return false;
      }
    }
    return true;
  }

  static constexpr std::size_t kMostArrays = 32;
  const Reader& reader_;
  std::size_t number_ = 0;
  std::array<ReadArray, kMostArrays> all_;
};

}  // namespace

bool is_read_directly(nb::handle array) {
  return reader_of(array.ptr()) != nullptr;
}

bool read_directly(nb::handle array, ReadArray& read) try {
  const Reader* const reader = reader_of(array.ptr());
  return reader && reader->read(array.ptr(), read);
} catch (const graft::Error&) {  // an element type that graft does not have
  return false;
}

nb::object types_directly(const nb::tuple& arrays) {
  nb::list names;
  for (const nb::handle array : arrays) {
    ReadArray read;
    if (!read_directly(array, read)) return {};
    names.append(short_name(read.type));
  }
  return names;
}

std::optional<std::intptr_t> stream_directly(nb::handle array) {
  ReadArray read;
  return read_directly(array, read) ? reader_of(array.ptr())->stream(read.device) : std::nullopt;
}

nb::object call_directly(const graft::Transform& transform, const nb::tuple& inputs, nb::handle out,
                         const graft::StateRef& state, bool makes_outputs) try {
  const std::size_t number = inputs.size();
  const bool is_list = PyTuple_Check(out.ptr()) || PyList_Check(out.ptr());
  if (number == 0 || (out.is_none() && !makes_outputs)) return {};
  const Reader* const reader = reader_of(inputs[0].ptr());
  if (!reader) return {};
  DirectArrays arrays(*reader);
  for (const nb::handle input : inputs)
    if (!arrays.add(input.ptr())) return {};
  if (arrays.device() != current_device()) return {};
  const std::optional<std::intptr_t> stream = reader->stream(arrays.device());
  if (!stream) return {};
  std::vector<nb::object> made;
  if (out.is_none()) {
    if (!arrays.make_outputs(transform.signature().outputs(), inputs, made)) return {};
  } else if (is_list) {
    for (const nb::handle one : nb::borrow<nb::sequence>(out))
      if (!arrays.add(one.ptr())) return {};
  } else if (!arrays.add(out.ptr())) {
    return {};
  }
  const std::vector<ArrayRef> in = arrays.refs(0, number), outs = arrays.refs(number, arrays.size());
  {
    const nb::gil_scoped_release release;
    transform.execute(reinterpret_cast<CUstream_st*>(*stream), in, outs, state);
  }
  if (!out.is_none()) return nb::borrow(out);
  if (made.size() == 1) return std::move(made.front());
  const nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(made.size())));
  for (std::size_t i = 0; i < made.size(); ++i)
    PyTuple_SetItem(all.ptr(), static_cast<Py_ssize_t>(i), made[i].release().ptr());
  return all;
} catch (const graft::Error&) {
  return {};
}

}  // namespace graft_python
