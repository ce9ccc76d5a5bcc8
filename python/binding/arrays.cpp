// Takes arrays from Python objects: those of NumPy, and of CuPy and PyTorch on a GPU, directly; others by the protocols
// in the order of their cost: the buffer protocol (memoryview, structs of NumPy), __cuda_array_interface__ (Numba),
// DLPack (JAX, PyTorch on the CPU), __array_interface__ (what NumPy has no buffer for, such as bfloat16).
#include "arrays.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include <graft/dlpack_view.hpp>
#include <graft/error.hpp>

#include "dlpack.hpp"
#include "fail.hpp"
#include "readers.hpp"

namespace graft_python {
namespace {

using graft::ElementKind;
using graft::ElementType;

ElementType simple(ElementKind kind, std::size_t size) {
  const auto bytes = static_cast<std::uint32_t>(size);
  return {kind, bytes, kind == ElementKind::Complex ? bytes / 2 : bytes};
}

// A struct of this size, whose alignment Python does not tell. execute compares sizes, and checks pointers.
ElementType structure(std::size_t size) {
  return {ElementKind::Class, static_cast<std::uint32_t>(size), 1};
}

std::string class_name(nb::handle object) {
  return nb::cast<std::string>(nb::str(nb::inst_name(object)));
}

// An attribute, or a null object if there is none. A property is evaluated once, and what it raises is passed on.
nb::object attribute_of(nb::handle object, const char* name) {
  PyObject* const found = PyObject_GetAttrString(object.ptr(), name);
  if (!found) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) nb::raise_python_error();
    PyErr_Clear();
  }
  return nb::steal(found);
}

std::string dtype_name(nb::handle object) {
  const nb::object dtype = attribute_of(object, "dtype");
  return dtype ? nb::cast<std::string>(nb::str(dtype)) : std::string();
}

// What an exception says, without its traceback.
std::string text_of(const nb::python_error& error) {
  PyObject* const text = PyObject_Str(error.value().ptr());
  if (!text) {  // its __str__ raises
    PyErr_Clear();
    return class_name(error.value());
  }
  return nb::cast<std::string>(nb::steal(text));
}

// What an array that graft does not take has as elements, and what to do.
struct RefusedType {
  const char* what;
  const char* remedy;
};

// `name` is that of the dtype; or, of an array without one, the type as its protocol spells it.
RefusedType refused_type(std::string_view name) {
  const bool has_order = !name.empty() && std::strchr("@=<>!|", name[0]);
  const std::string_view plain = has_order ? name.substr(1) : name;
  const auto begins = [&](std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return plain.starts_with(word); });
  };
  const auto is = [&](std::initializer_list<std::string_view> words) { return std::ranges::count(words, plain) != 0; };
  const std::size_t digits = std::min(plain.find_first_not_of("0123456789"), plain.size());  // "3w" is a text
  const std::string_view unit = plain.substr(digits);
  if (unit == "w" || unit == "s" || begins({"U", "S", "str", "bytes"}))
    return {"texts as elements", "Pass numbers: x.astype(float) reads those that are written as text."};
  if (begins({"O", "object"}))
    return {"Python objects as elements", "Pass x.astype(float), or another dtype of numbers."};
  if (is({"g", "Zg", "float96", "float128", "complex192", "complex256"}) || (has_order && is({"f16", "c32"})))
    return {"elements of numpy.longdouble, or complex ones of it",
            "Pass x.astype(numpy.float64), or complex128: GPUs have no longer numbers."};
  if (begins({"datetime64", "timedelta64", "M8", "m8"}))
    return {"dates or times as elements", "Pass x.view(numpy.int64), the numbers of their units."};
  if (has_order && (name[0] == '>' || name[0] == '!'))
    return {"numbers in the other byte order",
            "Pass x.astype(x.dtype.newbyteorder(\"=\")), a copy in the machine's byte order."};
  return {
      "elements of a type",
      "Convert the array: graft has bool, integers of 8 to 64 bits, float16, bfloat16, float32, float64, complex64, "
      "complex128 and structs, in the machine's byte order."};
}

// Whether a struct's format of the buffer protocol has members that are objects or have another byte order. The names
// of members are between colons.
bool has_foreign_members(const char* format) {
  for (bool is_in_name = false; *format; ++format) {
    if (*format == ':') is_in_name = !is_in_name;
    else if (!is_in_name && (*format == 'O' || *format == '>' || *format == '!')) return true;
  }
  return false;
}

// The same of the "descr" of an array interface: a list of (name, typestr or list, shape).
bool has_foreign_members(nb::handle members) {
  for (const nb::handle member : members) {
    const nb::object type = nb::borrow(nb::cast<nb::tuple>(member)[1]);
    if (!nb::isinstance<nb::str>(type)) {
      if (has_foreign_members(type)) return true;
      continue;
    }
    const auto typestr = nb::cast<std::string>(type);
    if (typestr.starts_with('>') || typestr.substr(0, 2).ends_with('O')) return true;
  }
  return false;
}

}  // namespace

std::string module_name(nb::handle object) {
  const nb::object module = nb::getattr(object.type(), "__module__", nb::none());
  std::string name;
  return nb::try_cast(module, name) ? name : std::string();
}

std::optional<ElementType> number_of_kind(char kind, std::size_t size) {
  struct Kind {
    char letter;
    ElementKind kind;
    std::size_t least, most;  // bytes: powers of two
  };
  constexpr Kind kKinds[] = {{'b', ElementKind::Bool, 1, 1},
                             {'i', ElementKind::Signed, 1, 8},
                             {'u', ElementKind::Unsigned, 1, 8},
                             {'f', ElementKind::Float, 2, 8},
                             {'c', ElementKind::Complex, 4, 16}};
  for (const Kind& one : kKinds)
    if (kind == one.letter && one.least <= size && size <= one.most && std::has_single_bit(size))
      return simple(one.kind, size);
  return {};
}

std::string short_name(const ElementType& type) {
  const std::string bits = std::to_string(8 * type.size);
  switch (type.kind) {
    case ElementKind::Class:
      return "class";
    case ElementKind::Bool:
      return "bool";
    case ElementKind::Signed:
      return "i" + bits;
    case ElementKind::Unsigned:
      return "u" + bits;
    case ElementKind::Float:
      return "f" + bits;
    case ElementKind::Bfloat:
      return "bf16";
    case ElementKind::Complex:
      return "c" + bits;
    case ElementKind::Enum:
      return "i" + bits;
    case ElementKind::Opaque:
      return "opaque";
    case ElementKind::Bit:
      return "bit";
  }
  return "class";
}

Array::Array(nb::handle object, const std::string& role, bool is_output, std::optional<std::intptr_t> stream)
    : object_(object), role_(role) {
  std::string reason;
  bool is_taken = false;
  const auto attempt = [&](auto&& take) {
    if (is_taken) return;
    try {
      is_taken = take();
    } catch (const nb::python_error& error) {
      if (!error.matches(PyExc_Exception)) throw;  // KeyboardInterrupt, SystemExit
      if (reason.empty()) reason = text_of(error);
    } catch (const nb::cast_error&) {
      if (reason.empty()) reason = "its description of the array has a value of a wrong type";
    }
  };
  attempt([&] { return take_directly(); });
  attempt([&] { return take_buffer(); });
  // JAX makes an array ready for a stream only by DLPack.
  if (!is_taken && module_name(object).starts_with("jax")) attempt([&] { return take_dlpack(stream); });
  attempt([&] { return take_interface("__cuda_array_interface__", true); });
  attempt([&] { return take_dlpack(stream); });
  attempt([&] { return take_interface("__array_interface__", false); });
  if (!is_taken)
    fail(graft::ErrorCode::InvalidArgument,
         role + " is a " + class_name(object) + ", from which graft cannot take an array" +
             (reason.empty() ? "" : ": " + reason),
         "Pass an array of NumPy, CuPy, PyTorch or JAX, or an object with __dlpack__, __cuda_array_interface__, "
         "__array_interface__ or a buffer.");
  for (std::uint32_t d = 0; d < rank_; ++d)
    if (shape_[d] < 0)
      fail(graft::ErrorCode::InvalidArgument, role + " has an extent of " + std::to_string(shape_[d]),
           "Correct the object's description of its array.");
  if (is_output && is_read_only_)
    fail(graft::ErrorCode::InvalidArgument, role + " is read-only", "Pass an array that may be written.");
}

graft::ArrayRef Array::flat_ref() const {
  std::uint64_t dense = 1;
  for (std::uint32_t d = rank_; d-- > 0;) {
    if (shape_[d] > 1 && strides_[d] != static_cast<std::int64_t>(dense))
      fail(graft::ErrorCode::InvalidArgument, role_ + " has gaps between its elements, or another order",
           "Pass a contiguous copy: this array is reached by its pointer alone.");
    dense *= static_cast<std::uint64_t>(shape_[d]);
  }
  return {pointer_, ref().count, type_};
}

void Array::refuse_type(const std::string& type) const {
  const std::string dtype = dtype_name(object_), &name = dtype.empty() ? type : dtype;
  const RefusedType refused = refused_type(name);
  fail(graft::ErrorCode::TypeMismatch, role_ + " has " + refused.what + " (" + name + "), which graft does not have",
       refused.remedy);
}

void Array::set_rank(std::size_t rank) {
  if (rank > graft::ArrayRef::kMostDimensions)
    fail(graft::ErrorCode::InvalidArgument, role_ + " has " + std::to_string(rank) + " dimensions",
         "Pass an array of at most 64 dimensions.");
  rank_ = static_cast<std::uint32_t>(rank);
}

void Array::set_dense_strides() noexcept {
  std::uint64_t stride = 1;  // may wrap for extents that no memory holds, which execute refuses
  for (std::uint32_t d = rank_; d-- > 0;) {
    strides_[d] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(shape_[d] > 1 ? shape_[d] : 1);
  }
}

template <class Strides>
void Array::set_strides(const Strides& strides) {
  const auto size = static_cast<std::int64_t>(type_.size);
  for (std::uint32_t d = 0; d < rank_; ++d) {
    const auto bytes = static_cast<std::int64_t>(strides(d));
    if (shape_[d] > 1 && bytes % size != 0)
      fail(graft::ErrorCode::InvalidArgument,
           role_ + " has elements of " + std::to_string(size) + " bytes that are " + std::to_string(bytes) +
               " bytes apart, as the field of a struct is",
           "Pass a contiguous copy of the array.");
    strides_[d] = shape_[d] > 1 ? bytes / size : 1;
  }
}

void Array::set_type_of_format(const char* format, std::size_t size) {
  const char* const whole = format;
  const bool is_swapped = *format == '>' || *format == '!';
  if (std::strchr("@=<>!", *format) && *format) ++format;
  if (is_swapped && size > 1) refuse_type(whole);
  if (*format == 'T' || std::strspn(format, "0123456789x") == std::strlen(format)) {
    type_ = structure(size);
    if (size == 0 || has_foreign_members(format)) refuse_type(whole);
  } else if (*format == '?') {
    type_ = simple(ElementKind::Bool, size);
  } else if (format[0] == 'Z' && (size == 8 || size == 16)) {
    type_ = simple(ElementKind::Complex, size);
  } else if (format[1] != '\0') {
    refuse_type(whole);
  } else if (std::strchr("bhilqn", *format)) {
    type_ = simple(ElementKind::Signed, size);
  } else if (std::strchr("BHILQN", *format)) {
    type_ = simple(ElementKind::Unsigned, size);
  } else if (std::strchr("efd", *format)) {
    type_ = simple(ElementKind::Float, size);
  } else {
    refuse_type(*format == 'O' ? "object" : whole);
  }
}

bool Array::take_directly() {
  ReadArray read;
  if (!read_directly(object_, read)) return false;
  type_ = read.type;
  rank_ = read.shape.rank;
  std::ranges::copy_n(read.shape.of.begin(), rank_, shape_);
  std::ranges::copy_n(read.strides.begin(), rank_, strides_);
  pointer_ = read.pointer;
  is_read_only_ = read.is_read_only;
  is_on_device_ = read.device != ReadArray::kHost;
  keeper_ = nb::borrow(object_);
  return true;
}

bool Array::take_buffer() {
  if (!PyObject_CheckBuffer(object_.ptr())) return false;
  if (PyObject_GetBuffer(object_.ptr(), &buffer_.view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) nb::raise_python_error();
  const Py_buffer& view = buffer_.view;
  if (view.itemsize <= 0) refuse_type(dtype_name(object_));
  set_type_of_format(view.format && *view.format ? view.format : "B", static_cast<std::size_t>(view.itemsize));
  set_rank(static_cast<std::size_t>(view.ndim));
  for (std::uint32_t d = 0; d < rank_; ++d) shape_[d] = view.shape[d];
  if (view.strides) set_strides([&](std::uint32_t d) { return view.strides[d]; });
  else set_dense_strides();
  pointer_ = view.buf;
  is_read_only_ = view.readonly != 0;
  return true;
}

void Array::set_type_of_typestr(const std::string& typestr) {
  const std::string dtype = dtype_name(object_);
  const std::size_t size = typestr.size() > 2 ? std::strtoul(typestr.c_str() + 2, nullptr, 10) : 0;
  if (size == 0 || size > 4096 || (typestr[0] == '>' && size > 1)) refuse_type(dtype.empty() ? typestr : dtype);
  const bool has_members = dtype.empty() || dtype.find_first_of("V[{") != std::string::npos;
  if (const std::optional<ElementType> number = number_of_kind(typestr[1], size)) type_ = *number;
  else if (typestr[1] == 'V' && (dtype == "bfloat16" || dtype == "torch.bfloat16"))
    type_ = simple(ElementKind::Bfloat, size);
  else if (typestr[1] == 'V' && has_members) type_ = structure(size);
  else refuse_type(dtype.empty() ? typestr : dtype);
}

bool Array::take_interface(const char* attribute, bool on_device) {
  nb::object interface = attribute_of(object_, attribute);
  if (!interface) return false;
  const nb::dict dict = nb::cast<nb::dict>(interface);
  set_type_of_typestr(nb::cast<std::string>(dict["typestr"]));
  if (type_.kind == ElementKind::Class && dict.contains("descr") && has_foreign_members(nb::handle(dict["descr"])))
    refuse_type(nb::cast<std::string>(nb::str(nb::object(dict["descr"]))));
  const nb::tuple shape = nb::cast<nb::tuple>(dict["shape"]);
  set_rank(shape.size());
  for (std::uint32_t d = 0; d < rank_; ++d) shape_[d] = nb::cast<std::int64_t>(shape[d]);
  if (dict.contains("strides") && !dict["strides"].is_none()) {
    const nb::tuple strides = nb::cast<nb::tuple>(dict["strides"]);
    if (strides.size() != rank_)
      fail(graft::ErrorCode::InvalidArgument, role_ + " has another number of strides than of dimensions",
           "Correct the array's " + std::string(attribute) + ".");
    set_strides([&](std::uint32_t d) { return nb::cast<std::int64_t>(strides[d]); });
  } else {
    set_dense_strides();
  }
  if (dict.contains("mask") && !dict["mask"].is_none())
    fail(graft::ErrorCode::InvalidArgument, role_ + " has a mask", "Pass the mask as an array of its own.");
  const nb::tuple data = nb::cast<nb::tuple>(dict["data"]);
  pointer_ = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(data[0]));
  is_read_only_ = nb::cast<bool>(data[1]);
  is_on_device_ = on_device;
  keeper_ = std::move(interface);
  return true;
}

bool Array::take_dlpack(std::optional<std::intptr_t> stream) {
  if (PyCapsule_CheckExact(object_.ptr())) {
    keeper_ = nb::borrow(object_);
  } else {
    const nb::object make = attribute_of(object_, "__dlpack__");
    if (!make) return false;
    nb::dict arguments;
    const auto device = nb::cast<nb::tuple>(object_.attr("__dlpack_device__")());
    if (nb::cast<std::int32_t>(nb::int_(device[0])) == kDlCuda && stream)
      arguments["stream"] = *stream == 0 ? 1 : *stream;  // DLPack calls the legacy default stream 1
    arguments["max_version"] = nb::make_tuple(1, 0);
    try {
      keeper_ = make(**arguments);
    } catch (nb::python_error& error) {
      if (!error.matches(PyExc_TypeError)) throw;  // a library of DLPack 0 does not know max_version
      PyDict_DelItemString(arguments.ptr(), "max_version");
      keeper_ = make(**arguments);
    }
  }
  const bool is_versioned = PyCapsule_IsValid(keeper_.ptr(), "dltensor_versioned") != 0;
  void* const content = PyCapsule_GetPointer(keeper_.ptr(), is_versioned ? "dltensor_versioned" : "dltensor");
  if (!content) nb::raise_python_error();
  const auto* const versioned = static_cast<const DlManagedVersioned*>(content);
  if (is_versioned && versioned->major != 1)
    fail(graft::ErrorCode::InvalidArgument,
         role_ + " is a tensor of DLPack " + std::to_string(versioned->major) + ", which graft does not know",
         "Pass it through another protocol, or use a library with DLPack 1.");
  const DlTensor& tensor = is_versioned ? versioned->tensor : *static_cast<const DlTensor*>(content);
  if (tensor.device_type != kDlCpu && tensor.device_type != kDlCuda && tensor.device_type != kDlCudaHost &&
      tensor.device_type != kDlCudaManaged)
    fail(graft::ErrorCode::InvalidArgument,
         role_ + " is on a device of DLPack's kind " + std::to_string(tensor.device_type),
         "Pass arrays in host memory, or in the memory of NVIDIA's GPUs.");
  try {
    type_ = graft::detail::element_of_dlpack(tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes);
  } catch (const graft::Error&) {
    refuse_type(dtype_name(object_));
  }
  set_rank(static_cast<std::size_t>(tensor.ndim));
  for (std::uint32_t d = 0; d < rank_; ++d) shape_[d] = tensor.shape[d];
  set_dense_strides();
  if (tensor.strides)
    for (std::uint32_t d = 0; d < rank_; ++d)
      if (shape_[d] > 1) strides_[d] = tensor.strides[d];
  pointer_ = static_cast<char*>(tensor.data) + tensor.byte_offset;
  is_read_only_ = is_versioned && (versioned->flags & kDlReadOnly) != 0;
  is_on_device_ = tensor.device_type == kDlCuda || tensor.device_type == kDlCudaManaged;
  return true;
}

Arrays::Arrays(nb::sequence objects, bool are_outputs, std::optional<std::intptr_t> stream,
               std::optional<bool> on_device, const std::optional<std::string>& role) {
  const std::size_t number = nb::len(objects);
  roles_.reserve(number);  // the arrays refer to these texts
  arrays_.reserve(number);
  for (std::size_t i = 0; i < number; ++i) {
    roles_.push_back(role ? *role : (are_outputs ? "output " : "input ") + std::to_string(i));
    const Array& array = *arrays_.emplace_back(std::make_unique<Array>(objects[i], roles_.back(), are_outputs, stream));
    if (!on_device) on_device = array.is_on_device();
    if (array.is_on_device() != *on_device)
      fail(graft::ErrorCode::InvalidArgument,
           roles_.back() + " is in " + (array.is_on_device() ? "GPU" : "host") +
               " memory, and the first array of the call is not",
           "Copy one of the arrays: all arrays of a call are in the memory of one device, or of the host.");
  }
}

std::vector<graft::ArrayRef> Arrays::refs(const std::vector<graft::ElementType>& wanted) const {
  std::vector<graft::ArrayRef> refs;
  refs.reserve(arrays_.size());
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const bool is_opaque = i < wanted.size() && wanted[i].kind == ElementKind::Opaque;
    refs.push_back(is_opaque ? arrays_[i]->flat_ref() : arrays_[i]->ref());
  }
  return refs;
}

std::vector<graft::ArrayRef> Arrays::flat_refs() const {
  std::vector<graft::ArrayRef> refs;
  for (const auto& array : arrays_) refs.push_back(array->flat_ref());
  return refs;
}

std::vector<std::int64_t> Arrays::broadcast_shape() const {
  std::vector<std::int64_t> shape;
  for (const auto& array : arrays_)
    if (array->rank() > shape.size()) shape.insert(shape.begin(), array->rank() - shape.size(), 1);
  std::vector<const std::string*> whose(shape.size());  // the roles of the arrays that have these extents
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const Array& array = *arrays_[i];
    const std::size_t offset = shape.size() - array.rank();
    for (std::uint32_t d = 0; d < array.rank(); ++d) {
      std::int64_t& extent = shape[offset + d];
      if (array.extent(d) == 1 || array.extent(d) == extent) continue;
      if (extent != 1)
        fail(graft::ErrorCode::CountMismatch,
             *whose[offset + d] + " has the extent " + std::to_string(extent) + " in dimension " +
                 std::to_string(offset + d) + ", and " + roles_[i] + " has " + std::to_string(array.extent(d)),
             "Pass arrays whose shapes are equal or repeat, as those of NumPy's operators.");
      extent = array.extent(d);
      whose[offset + d] = &roles_[i];
    }
  }
  return shape;
}

void bind_arrays(nb::module_& module) {
  nb::class_<Arrays>(module, "Arrays", "The inputs or the outputs of a call.")
      .def(nb::init<nb::sequence, bool, std::optional<std::intptr_t>, std::optional<bool>,
                    const std::optional<std::string>&>(),
           nb::arg("arrays"), nb::arg("are_outputs"), nb::arg("stream") = nb::none(), nb::arg("on_device") = nb::none(),
           nb::arg("role") = nb::none())
      .def("__len__", [](const Arrays& arrays) { return arrays.all().size(); })
      .def_prop_ro("on_device", &Arrays::are_on_device)
      .def_prop_ro("types",
                   [](const Arrays& arrays) {
                     std::vector<std::string> names;
                     for (const auto& array : arrays.all()) names.push_back(short_name(array->type()));
                     return names;
                   })
      .def_prop_ro("sizes",
                   [](const Arrays& arrays) {
                     std::vector<std::size_t> sizes;
                     for (const auto& array : arrays.all()) sizes.push_back(array->type().size);
                     return sizes;
                   })
      .def_prop_ro(
          "addresses",
          [](const Arrays& arrays) {
            std::vector<std::uintptr_t> addresses;
            for (const graft::ArrayRef& ref : arrays.flat_refs())
              addresses.push_back(reinterpret_cast<std::uintptr_t>(ref.pointer));
            return addresses;
          },
          "The address of each array. Refuses arrays with gaps between their elements.")
      .def("broadcast_shape", [](const Arrays& arrays) { return nb::tuple(nb::cast(arrays.broadcast_shape())); });
}

}  // namespace graft_python
