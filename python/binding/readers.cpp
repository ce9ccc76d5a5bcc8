// One class for each library, and the table of classes of Python.
#include "readers.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <unordered_map>

#include <graft/dlpack_view.hpp>
#include <graft/error.hpp>

#include "arrays.hpp"
#include "dlpack.hpp"

namespace graft_python {
namespace {

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

// The result of a function; a null object, without an exception, if it raises one.
nb::object called(PyObject* function, std::initializer_list<PyObject*> arguments) {
  PyObject* const result = PyObject_Vectorcall(function, arguments.begin(), arguments.size(), nullptr);
  if (!result) forget();
  return nb::steal(result);
}

std::optional<std::int64_t> integer_of(PyObject* object, PyObject* its_name) {
  return integer(attribute(object, its_name).ptr());
}

// What a function of Python made, of which null says that there is no memory.
nb::object made(PyObject* object) {
  if (!object) nb::raise_python_error();
  return nb::steal(object);
}

nb::object tuple_of(const Extents& shape) {
  nb::object tuple = made(PyTuple_New(shape.rank));
  for (std::uint32_t d = 0; d < shape.rank; ++d)
    PyTuple_SetItem(tuple.ptr(), d, made(PyLong_FromLongLong(shape.of[d])).release().ptr());
  return tuple;
}

// The array interface of C, which NumPy's __array_struct__ shows.
struct ArrayInterface {
  static constexpr int kIsNative = 0x200, kIsWritable = 0x400;
  int two;
  int rank;
  char kind;
  int itemsize;
  int flags;
  const Py_ssize_t* shape;
  const Py_ssize_t* strides;
  void* data;
};

// Reads shapes and strides in bytes. False for strides that are no whole elements, and for too many dimensions.
template <class Shape, class Strides>
bool set_shape(ReadArray& array, std::size_t rank, Shape&& shape, Strides&& strides) {
  if (rank > Extents::kMost) return false;
  array.shape.rank = static_cast<std::uint32_t>(rank);
  for (std::size_t d = 0; d < rank; ++d) {
    const std::optional<std::int64_t> extent = shape(d), bytes = strides(d);
    const auto size = static_cast<std::int64_t>(array.type.size);
    if (!extent || !bytes || (*extent > 1 && *bytes % size != 0)) return false;
    array.shape.of[d] = *extent;
    array.strides[d] = *extent > 1 ? *bytes / size : 1;
  }
  return true;
}

class NumPyReader : public Reader {
 public:
  NumPyReader() : Reader("numpy"), empty_(nb::module_::import_("numpy").attr("empty")) {}

  bool is_on_device() const override { return false; }

  bool read(PyObject* object, ReadArray& array) const override {
    const nb::object capsule = attribute(object, struct_);
    if (!capsule) return false;
    const auto* const shown = static_cast<const ArrayInterface*>(PyCapsule_GetPointer(capsule.ptr(), nullptr));
    if (!shown) {
      forget();
      return false;
    }
    const std::optional<ElementType> type = number_of_kind(shown->kind, static_cast<std::size_t>(shown->itemsize));
    if (!type || !(shown->flags & ArrayInterface::kIsNative)) return false;
    array.pointer = shown->data;
    array.type = *type;
    array.is_read_only = !(shown->flags & ArrayInterface::kIsWritable);
    return set_shape(
        array, static_cast<std::size_t>(shown->rank), [&](std::size_t d) { return shown->shape[d]; },
        [&](std::size_t d) { return shown->strides[d]; });
  }

  std::optional<int> device_of(PyObject*) const override { return ReadArray::kHost; }
  std::optional<std::intptr_t> stream(int) const override { return {}; }

  using Reader::empty;
  nb::object empty(const nb::object& shape, const nb::object& dtype, PyObject*) const override {
    return called(empty_.ptr(), {shape.ptr(), dtype.ptr()});
  }

 private:
  const nb::object empty_;
  PyObject* const struct_ = name("__array_struct__");
};

class TorchReader : public Reader {
 public:
  explicit TorchReader(const DlExchange& functions) : Reader("torch"), functions_(functions) {}

  bool read(PyObject* object, ReadArray& array) const override {
    // What PyTorch may have to differentiate, or computes only when it must, is not in the tensor's memory.
    if (is_true(object, requires_grad_, false)) return false;
    DlTensor tensor = {};
    if (functions_.tensor_from_object(object, &tensor) != 0) {
      forget();
      return false;
    }
    if (tensor.device_type != kDlCuda || tensor.ndim < 0 || static_cast<std::uint32_t>(tensor.ndim) > Extents::kMost ||
        (tensor.ndim > 0 && !tensor.strides))
      return false;
    array.type = graft::detail::element_of_dlpack(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes);
    if (array.type.kind == ElementKind::Complex && is_true(object, is_conj_, true)) return false;
    array.pointer = static_cast<char*>(tensor.data) + tensor.byte_offset;
    array.device = tensor.device_id;
    array.shape.rank = static_cast<std::uint32_t>(tensor.ndim);
    for (std::uint32_t d = 0; d < array.shape.rank; ++d) {
      array.shape.of[d] = tensor.shape[d];
      array.strides[d] = tensor.shape[d] > 1 ? tensor.strides[d] : 1;
    }
    // Only the imaginary parts of lazy conjugates are lazily negated: every second number, so never without gaps. The
    // question takes longer than all else here.
    const bool may_be_negated = array.count() < 2 || !array.is_dense();
    return !may_be_negated || !is_true(object, is_neg_, true);
  }

  std::optional<int> device_of(PyObject* object) const override {
    DlTensor tensor = {};
    if (functions_.tensor_from_object(object, &tensor) == 0)
      return tensor.device_type == kDlCuda ? std::optional(tensor.device_id) : std::nullopt;
    forget();
    return {};
  }

  std::optional<std::intptr_t> stream(int device) const override {
    void* stream = nullptr;
    if (functions_.current_stream(kDlCuda, device, &stream) != 0) {
      forget();
      return {};
    }
    return reinterpret_cast<std::intptr_t>(stream);
  }

  using Reader::empty;
  nb::object empty(const nb::object& shape, const nb::object& dtype, PyObject* mate) const override {
    PyObject* const arguments[] = {mate, shape.ptr(), dtype.ptr()};
    PyObject* const made = PyObject_VectorcallMethod(new_empty_, arguments, 2, keywords_.ptr());
    if (!made) forget();
    return nb::steal(made);
  }

 private:
  const DlExchange& functions_;
  const nb::object keywords_ = nb::make_tuple("dtype");
  PyObject* const new_empty_ = name("new_empty");
  PyObject* const requires_grad_ = name("requires_grad");
  PyObject* const is_neg_ = name("is_neg");
  PyObject* const is_conj_ = name("is_conj");
};

class CuPyReader : public Reader {
 public:
  CuPyReader()
      : Reader("cupy"),
        array_(nb::module_::import_("cupy").attr("ndarray")),
        current_stream_(nb::module_::import_("cupy").attr("cuda").attr("get_current_stream")) {}

  bool read(PyObject* object, ReadArray& array) const override {
    const nb::object memory = attribute(object, data_);
    const nb::object shape = attribute(object, shape_), strides = attribute(object, strides_);
    if (!memory || !shape || !strides || !PyTuple_Check(shape.ptr()) || !PyTuple_Check(strides.ptr())) return false;
    const auto pointer = integer_of(memory.ptr(), ptr_), device = integer_of(memory.ptr(), device_id_);
    const std::optional<ElementType> type = type_of(attribute(object, dtype_));
    const Py_ssize_t rank = PyTuple_Size(shape.ptr());
    if (!pointer || !device || !type || rank != PyTuple_Size(strides.ptr())) return false;
    array.pointer = reinterpret_cast<void*>(static_cast<std::intptr_t>(*pointer));
    array.device = static_cast<int>(*device);
    array.type = *type;
    const auto item = [](const nb::object& tuple, std::size_t d) {
      return integer(PyTuple_GetItem(tuple.ptr(), static_cast<Py_ssize_t>(d)));
    };
    return set_shape(
        array, static_cast<std::size_t>(rank), [&](std::size_t d) { return item(shape, d); },
        [&](std::size_t d) { return item(strides, d); });
  }

  std::optional<int> device_of(PyObject* object) const override {
    const nb::object memory = attribute(object, data_);
    const auto device = memory ? integer_of(memory.ptr(), device_id_) : std::nullopt;
    return device ? std::optional(static_cast<int>(*device)) : std::nullopt;
  }

  std::optional<std::intptr_t> stream(int device) const override {
    const nb::object number = made(PyLong_FromLong(device));
    const nb::object stream = called(current_stream_.ptr(), {number.ptr()});
    return stream ? integer_of(stream.ptr(), ptr_) : std::nullopt;
  }

  using Reader::empty;
  // The class, which takes a third of the time of cupy.empty_like.
  nb::object empty(const nb::object& shape, const nb::object& dtype, PyObject*) const override {
    return called(array_.ptr(), {shape.ptr(), dtype.ptr()});
  }
  nb::object empty_like(PyObject* array) const override {
    const nb::object shape = attribute(array, shape_), dtype = attribute(array, dtype_);
    return shape && dtype ? empty(shape, dtype, array) : nb::object();
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
    const auto size = integer_of(dtype.ptr(), bytes);
    const nb::object native = attribute(dtype.ptr(), is_native);
    if (!letter || !PyUnicode_Check(letter.ptr()) || !size || native.ptr() != Py_True) return {};
    return number_of_kind(static_cast<char>(PyUnicode_ReadChar(letter.ptr(), 0)), static_cast<std::size_t>(*size));
  }

  const nb::object array_, current_stream_;
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

// A class of a library, of which no subclass is read directly: it may compute what it shows.
struct ReadClass {
  nb::object type;                       // keeps its address its own
  std::unique_ptr<const Reader> reader;  // null if the library lacks one of the functions
};

// Nothing if the type is another one. `library` is that of the type's module; one that nobody uses is not imported.
std::optional<ReadClass> read_class_of(nb::handle type, const std::string& library) {
  const char* const its_name = library == "torch" ? "Tensor" : "ndarray";
  if (library != "numpy" && library != "cupy" && library != "torch") return {};
  ReadClass made{nb::borrow(type), nullptr};
  try {
    if (!nb::getattr(nb::module_::import_(library.c_str()), its_name, nb::none()).is(type)) return {};
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    return {};  // a module that cannot be imported
  }
  try {
    if (library == "numpy") made.reader = std::make_unique<NumPyReader>();
    else if (library == "cupy") made.reader = std::make_unique<CuPyReader>();
    else if (const DlExchange* const functions = exchange_of(type))
      made.reader = std::make_unique<TorchReader>(*functions);
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
  }
  return made;
}

}  // namespace

std::optional<std::int64_t> integer(PyObject* object) {
  if (!object || !PyLong_Check(object)) return {};
  const long long value = PyLong_AsLongLong(object);
  if (value != -1 || !PyErr_Occurred()) return value;
  forget();
  return {};
}

// ---- what all libraries share ----

Reader::Reader(const char* library) : empty_like_(nb::module_::import_(library).attr("empty_like")) {}

nb::object Reader::empty(const Extents& shape, const ElementType& type, PyObject* mate) const {
  const nb::object dtype = dtype_of(type, mate);
  return dtype ? empty(tuple_of(shape), dtype, mate) : dtype;
}

nb::object Reader::empty_like(PyObject* array) const {
  return called(empty_like_.ptr(), {array});
}

// The library's object for a type, which the package's Python code knows.
nb::object Reader::dtype_of(const ElementType& type, PyObject* mate) const {
  constexpr std::size_t kMostTypes = 64;
  const auto known = std::ranges::find_if(dtypes_, [&](const auto& one) { return are_same(one.first, type); });
  if (known != dtypes_.end()) return known->second;
  if (type.kind == ElementKind::Class || dtypes_.size() >= kMostTypes) return {};
  try {
    // Imported here, because a reader is never destroyed, and would keep all that the package has.
    const nb::object library = nb::module_::import_("graft_cuda._libraries").attr("library_of")(nb::handle(mate));
    nb::list mates;
    mates.append(nb::handle(mate));
    nb::object dtype = library.attr("dtype")(short_name(type), type.size, mates);
    return dtypes_.emplace_back(type, std::move(dtype)).second;
  } catch (const nb::python_error& error) {
    if (!error.matches(PyExc_Exception)) throw;
    return {};
  }
}

// Returns null for a class that is read by the protocols. No such class is kept here: it could hold whatever the
// program has.
const Reader* reader_of(PyObject* object) {
  // Never destroyed: the module may end after Python has.
  static auto& all = *new std::vector<ReadClass>;
  const nb::handle type(reinterpret_cast<PyObject*>(Py_TYPE(object)));
  for (const ReadClass& known : all)
    if (known.type.is(type)) return known.reader.get();
  const std::string module = module_name(object);
  std::optional<ReadClass> made = read_class_of(type, module.substr(0, module.find('.')));
  return made ? all.emplace_back(std::move(*made)).reader.get() : nullptr;
}

std::optional<bool> directly_on_device(nb::handle array) {
  const Reader* const reader = reader_of(array.ptr());
  return reader ? std::optional(reader->is_on_device()) : std::nullopt;
}

bool read_directly(nb::handle array, ReadArray& read) try {
  const Reader* const reader = reader_of(array.ptr());
  return reader && reader->read(array.ptr(), read);
} catch (const graft::Error&) {  // an element type that graft does not have
  return false;
}

std::vector<PyObject*> items_of(const nb::tuple& tuple) {
  std::vector<PyObject*> items;
  for (const nb::handle item : tuple) items.push_back(item.ptr());
  return items;
}

std::optional<std::pair<std::vector<ElementType>, bool>> read_types(std::span<PyObject* const> arrays) {
  std::vector<ElementType> types;
  std::optional<bool> on_device;
  for (PyObject* const array : arrays) {
    ReadArray read;
    if (!read_directly(array, read)) return {};
    const bool is_on_device = read.device != ReadArray::kHost;
    if (on_device.value_or(is_on_device) != is_on_device) return {};
    on_device = is_on_device;
    types.push_back(read.type);
  }
  return std::pair(std::move(types), on_device.value_or(false));
}

nb::object types_directly(const nb::tuple& arrays) {
  const auto read = read_types(items_of(arrays));
  if (!read) return {};
  nb::list names;
  for (const ElementType& type : read->first) names.append(short_name(type));
  return nb::make_tuple(names, read->second);
}

std::optional<std::intptr_t> stream_directly(nb::handle array) {
  const Reader* const reader = reader_of(array.ptr());
  const std::optional<int> device = reader ? reader->device_of(array.ptr()) : std::nullopt;
  return device ? reader->stream(*device) : std::nullopt;
}

}  // namespace graft_python
