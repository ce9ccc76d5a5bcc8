// Arrays of PyTorch and CuPy on a GPU, read by functions of their libraries, which takes some 100 ns, and several
// microseconds by the protocols (arrays.hpp). And ordinary calls of transforms, without Python code: all arrays are of
// one of these libraries, on the GPU that is current, and the launch goes to the library's current stream. Every other
// call is made by Python code, which says what is wrong with one.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <optional>

#include <graft/transform.hpp>

namespace graft_python {
namespace nb = nanobind;

// Strides are in elements, and 1 in a dimension that has one index.
struct ReadArray {
  static constexpr std::size_t kMostDimensions = 8;  // others are left to the protocols
  void* pointer = nullptr;
  graft::ElementType type;
  int device = 0;
  std::uint32_t rank = 0;
  std::array<std::int64_t, kMostDimensions> shape = {}, strides = {};

  graft::ArrayRef ref() const noexcept {
    return graft::ArrayRef::shaped(pointer, type, rank, shape.data(), strides.data());
  }

  // Whether the elements are in the order of their indices, without gaps.
  bool is_dense() const noexcept {
    std::int64_t dense = 1;
    for (std::uint32_t d = rank; d-- > 0; dense *= shape[d])
      if (shape[d] > 1 && strides[d] != dense) return false;
    return true;
  }
};

// Returns false, without an exception, for every other object, and for an array whose elements are not in its memory as
// they are, or of no type that graft has.
bool read_directly(nb::handle array, ReadArray& read);

// The current stream of the array's library on the array's device. Nothing for an object that is not read directly.
std::optional<std::intptr_t> stream_directly(nb::handle array);

// Launches, and returns what the call returns: `out`, or arrays that are made like an input, if `makes_outputs`.
// Returns a null object if this is no ordinary call, or if the launch was refused; then nothing has been launched.
nb::object call_directly(const graft::Transform& transform, const nb::tuple& inputs, nb::handle out,
                         const graft::StateRef& state, bool makes_outputs);

// Whether the array is of a class that is read directly.
bool is_read_directly(nb::handle array);

// The short names of the types of arrays that are read directly; a null object if there is another one.
nb::object types_directly(const nb::tuple& arrays);

}  // namespace graft_python
