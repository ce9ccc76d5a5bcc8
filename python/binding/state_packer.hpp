// The bytes of a state whose members are numbers and pointers, from what a call gives by name or by place.
#pragma once

#include <nanobind/nanobind.h>

#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <graft/element.hpp>

#include "readers.hpp"

namespace graft_python {
namespace nb = nanobind;

// A name as Python has it once, so that its address tells it apart.
nb::object interned(nb::handle name);

// Whether a value is a bool, an int or a float, of no class that is derived from them.
bool is_number(PyObject* value);

class StatePacker {
 public:
  // What a pointer takes: the short names of the types of numbers, a number of which its address is a multiple, whether
  // it takes all types, and whether the callback only reads. Nothing for a member that is no pointer.
  using Pointer = std::optional<std::tuple<std::vector<std::string>, std::size_t, bool, bool>>;

  // The bytes of a state, and the device of the arrays to which it points, if there are such.
  struct Packed {
    nb::bytes bytes;
    std::optional<int> device = {};
    std::vector<nb::object> values = {};  // what the pointers need to stay valid
  };

  // Names and pointers of the members, and what packs their numbers: the method of a struct.Struct.
  StatePacker(const nb::tuple& names, const std::vector<Pointer>& pointers, nb::object pack);

  std::size_t size() const noexcept { return members_.size(); }

  // The number of a member; nothing if there is none of this name, which is interned.
  std::optional<std::size_t> find(PyObject* name) const;

  // Reads the members of a dictionary. False if these are others.
  bool read(PyObject* given, std::vector<nb::object>& values) const;

  // Nothing, without an exception, for values that Python code must read, or refuse: a member that was not given, or
  // is another thing than a number of Python, an array that is read directly (readers.hpp), or None for a pointer.
  std::optional<Packed> pack(std::vector<nb::object> values) const;

 private:
  struct Member {
    nb::object name;
    bool is_pointer = false;
    std::vector<graft::ElementType> pointed = {};
    std::size_t alignment = 1;
    bool takes_all = false, is_written = false;

    bool takes(PyObject* value, ReadArray& array) const;
  };

  std::vector<Member> members_;
  nb::object pack_;
};

}  // namespace graft_python
