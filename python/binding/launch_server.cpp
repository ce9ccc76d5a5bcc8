#include "launch_server.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include <graft/error.hpp>

#include "driver.hpp"
#include "lock.hpp"
#include "readers.hpp"
#include "state_packer.hpp"

namespace graft_python {
namespace {

using graft::ElementKind;
using graft::ElementType;

std::optional<unsigned> extent_of(PyObject* value) {
  const std::optional<std::int64_t> number = PyBool_Check(value) ? std::nullopt : integer(value);
  if (!number || *number < 0 || *number > std::numeric_limits<unsigned>::max()) return {};
  return static_cast<unsigned>(*number);
}

// A grid or a block: an int, or a tuple or list of up to three.
std::optional<graft::Dim3> extents_of(PyObject* value) {
  std::array<unsigned, 3> extents = {1, 1, 1};
  if (!PyTuple_CheckExact(value) && !PyList_CheckExact(value)) {
    const std::optional<unsigned> one = extent_of(value);
    if (!one) return {};
    return graft::Dim3{*one, 1, 1};
  }
  std::size_t i = 0;
  for (const nb::handle item : nb::borrow<nb::sequence>(value)) {
    const std::optional<unsigned> one = i < extents.size() ? extent_of(item.ptr()) : std::nullopt;
    if (!one) return {};
    extents[i++] = *one;
  }
  if (i == 0) return {};
  return graft::Dim3{extents[0], extents[1], extents[2]};
}

// The type with which a number is passed.
std::optional<ElementType> type_for(PyObject* value, const LaunchParameter& parameter) {
  if (parameter.has_type) return parameter.number;
  if (PyBool_Check(value)) return parameter.size == 1 ? std::optional(ElementType::named("bool")) : std::nullopt;
  const bool is_real = PyFloat_CheckExact(value);
  switch (parameter.size) {
    case 1:
      return is_real ? std::nullopt : std::optional(ElementType::named("i8"));
    case 2:
      return is_real ? std::nullopt : std::optional(ElementType::named("i16"));
    case 4:
      return ElementType::named(is_real ? "f32" : "i32");
    case 8:
      return ElementType::named(is_real ? "f64" : "i64");
    default:
      return {};
  }
}

// Writes a number as one of a type. False if it does not fit, or if Python code must write it.
bool write(PyObject* value, const ElementType& type, std::uint64_t& to) {
  if (type.kind == ElementKind::Float) {
    if (type.size < sizeof(float)) return false;
    const double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      return false;
    }
    const auto single = static_cast<float>(number);
    if (type.size == sizeof number) std::memcpy(&to, &number, sizeof number);
    else if (std::isinf(single) && !std::isinf(number)) return false;
    else std::memcpy(&to, &single, sizeof single);
    return true;
  }
  const bool is_bool = type.kind == ElementKind::Bool, is_signed = type.kind == ElementKind::Signed;
  if (!is_bool && !is_signed && type.kind != ElementKind::Unsigned) return false;
  if (is_bool && !PyBool_Check(value)) return false;
  const std::optional<std::int64_t> number = integer(value);
  if (!number) return false;  // also addresses from 2^63 on
  const unsigned bits = 8 * type.size - (is_signed ? 1 : 0);
  const std::int64_t most = bits >= 63 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << bits) - 1;
  if (*number > most || *number < (is_signed ? -most - 1 : 0)) return false;
  std::memcpy(&to, &*number, type.size);
  return true;
}

}  // namespace

graft::ArgumentType number_type(const ElementType& type, bool is_pointer) {
  const bool is_integer =
      type.kind == ElementKind::Bool || type.kind == ElementKind::Signed || type.kind == ElementKind::Unsigned;
  const auto size = static_cast<std::uint8_t>(type.size);
  if (is_integer) return {graft::ArgumentType::Integer, is_pointer, size};
  if (type.kind == ElementKind::Float && size >= 4) return {graft::ArgumentType::Float, is_pointer, size};
  return {graft::ArgumentType::Unknown, is_pointer, 0};
}

void LaunchServer::set(const graft::Kernel& kernel, std::vector<LaunchParameter> parameters) {
  launched_ = std::make_shared<const Launched>(Launched{kernel, std::move(parameters)});
}

nb::object LaunchServer::call(const Arguments& arguments) const try {
  static PyObject* const shared = PyUnicode_InternFromString("shared_bytes");
  const std::shared_ptr<const Launched> launched = launched_;
  if (!launched || arguments.number != 3) return {};
  const auto grid = extents_of(arguments.values[0]), block = extents_of(arguments.values[1]);
  if (!grid || !block) return {};
  graft::KernelLaunch how = {.grid = *grid, .block = *block, .stream = nullptr, .cluster = {}};
  for (std::size_t i = 0; i < arguments.words(); ++i) {
    const auto bytes = arguments.name(i) == shared ? extent_of(arguments.value(i)) : std::nullopt;
    if (!bytes) return {};
    how.shared_bytes = *bytes;
  }
  PyObject* const sequence = arguments.values[2];
  if (!PyTuple_CheckExact(sequence) && !PyList_CheckExact(sequence)) return {};
  const auto given = nb::steal<nb::tuple>(PySequence_Tuple(sequence));  // a list may change during the launch
  if (!given) nb::raise_python_error();
  if (given.size() != launched->parameters.size()) return {};

  std::vector<std::uint64_t> numbers(given.size());
  std::vector<void*> pointers(given.size());
  std::vector<graft::KernelArgument> all;
  all.reserve(given.size());
  const Reader* first = nullptr;
  int device = ReadArray::kHost;
  for (std::size_t i = 0; i < given.size(); ++i) {
    PyObject* const value = given[i].ptr();
    const LaunchParameter& parameter = launched->parameters[i];
    if (is_number(value)) {
      const std::optional<ElementType> type = type_for(value, parameter);
      if (!type || !write(value, *type, numbers[i])) return {};
      all.emplace_back(&numbers[i], type->size).type = number_type(*type, false);
      continue;
    }
    const Reader* const reader = reader_of(value);
    ReadArray array;
    if (!reader || !reader->is_on_device() || !read_directly(value, array) || !array.is_dense() ||
        (parameter.is_written && array.is_read_only) || (first && array.device != device))
      return {};
    if (!first) first = reader;
    device = array.device;
    pointers[i] = array.pointer;
    all.emplace_back(pointers[i]).type = number_type(array.type, true);
  }
  const std::optional<std::intptr_t> stream = first ? first->stream(device) : std::nullopt;
  if (!stream || device != current_device()) return {};
  how.stream = reinterpret_cast<CUstream_st*>(*stream);
  {
    const WithoutLock without_lock;
    launched->kernel.launch_arguments(how, all);
  }
  return nb::none();
} catch (const graft::Error&) {  // Python code launches again, and says what is wrong
  return {};
}

}  // namespace graft_python
