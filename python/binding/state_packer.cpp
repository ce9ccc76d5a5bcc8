#include "state_packer.hpp"

#include <algorithm>
#include <cstdint>

#include <graft/arrays.hpp>

namespace graft_python {

nb::object interned(nb::handle name) {
  PyObject* text = nb::borrow(name).release().ptr();
  PyUnicode_InternInPlace(&text);
  return nb::steal(text);
}

bool is_number(PyObject* value) {
  return PyFloat_CheckExact(value) || PyLong_CheckExact(value) || PyBool_Check(value);
}

StatePacker::StatePacker(const nb::tuple& names, const std::vector<Pointer>& pointers, nb::object pack)
    : pack_(std::move(pack)) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    Member& member = members_.emplace_back();
    member.name = interned(names[i]);
    const Pointer& pointer = pointers.at(i);
    if (!pointer) continue;
    const auto& [types, alignment, takes_all, is_const] = *pointer;
    member.is_pointer = true;
    for (const std::string& type : types) member.pointed.push_back(graft::ElementType::named(type));
    member.alignment = std::max<std::size_t>(alignment, 1);
    member.takes_all = takes_all;
    member.is_written = !is_const;
  }
}

// Whether a pointer takes a value as an array that is read directly.
bool StatePacker::Member::takes(PyObject* value, ReadArray& array) const {
  if (!read_directly(value, array) || !array.is_dense() || (is_written && array.is_read_only)) return false;
  const auto is_type = [&](const graft::ElementType& type) { return graft::interchangeable(array.type, type); };
  return (takes_all || std::ranges::any_of(pointed, is_type)) &&
         reinterpret_cast<std::uintptr_t>(array.pointer) % alignment == 0;
}

std::optional<std::size_t> StatePacker::find(PyObject* name) const {
  const auto found = std::ranges::find_if(members_, [&](const Member& one) { return one.name.ptr() == name; });
  return found == members_.end() ? std::nullopt : std::optional<std::size_t>(found - members_.begin());
}

bool StatePacker::read(PyObject* given, std::vector<nb::object>& values) const {
  if (!PyDict_CheckExact(given) || PyDict_Size(given) != std::ssize(members_)) return false;
  for (std::size_t i = 0; i < members_.size(); ++i) {
    values[i] = nb::borrow(PyDict_GetItemWithError(given, members_[i].name.ptr()));
    if (!values[i] && PyErr_Occurred()) nb::raise_python_error();
  }
  return true;
}

std::optional<StatePacker::Packed> StatePacker::pack(std::vector<nb::object> values) const {
  std::optional<int> device;
  std::vector<nb::object> addresses;
  std::vector<PyObject*> numbers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Member& member = members_[i];
    PyObject* const value = values[i].ptr();
    if (value && is_number(value)) {
      numbers.push_back(value);
      continue;
    }
    if (!value || !member.is_pointer) return {};
    ReadArray array;
    if (value != Py_None) {
      if (!member.takes(value, array) || device.value_or(array.device) != array.device) return {};
      device = array.device;
    }
    addresses.push_back(nb::steal(PyLong_FromVoidPtr(array.pointer)));
    if (!addresses.back()) nb::raise_python_error();
    numbers.push_back(addresses.back().ptr());
  }
  PyObject* const packed = PyObject_Vectorcall(pack_.ptr(), numbers.data(), numbers.size(), nullptr);
  if (packed) return Packed{nb::steal<nb::bytes>(packed), device, std::move(values)};
  PyErr_Clear();
  return {};
}

}  // namespace graft_python
