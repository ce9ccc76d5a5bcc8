// Arrays of PyTorch and CuPy on a GPU and of NumPy, read by functions of their libraries, which takes some 100 ns, and
// several microseconds by the protocols (arrays.hpp). And ordinary calls, without Python code: all arrays are of one of
// these libraries and on one device, which is current, and the launch goes to the library's current stream or to one
// that was given. Every other call is made by Python code, which says what is wrong with one.
#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include <graft/fft.hpp>
#include <graft/reduce.hpp>
#include <graft/transform.hpp>

#include "shaped.hpp"

namespace graft_python {
namespace nb = nanobind;

struct Extents {
  static constexpr std::uint32_t kMost = 8;  // arrays of more dimensions are left to the protocols
  std::uint32_t rank = 0;
  std::array<std::int64_t, kMost> of = {};

  bool operator==(const Extents&) const = default;  // those past the rank are 0
};

// Strides are in elements, and 1 in a dimension that has one index.
struct ReadArray {
  static constexpr int kHost = -1;
  void* pointer = nullptr;
  graft::ElementType type;
  int device = kHost;
  bool is_read_only = false;
  Extents shape;
  std::array<std::int64_t, Extents::kMost> strides = {};

  graft::ArrayRef ref() const noexcept {
    return graft::ArrayRef::shaped(pointer, type, shape.rank, shape.of.data(), strides.data());
  }

  // Whether the elements are in the order of their indices, without gaps.
  bool is_dense() const noexcept {
    std::int64_t dense = 1;
    for (std::uint32_t d = shape.rank; d-- > 0; dense *= shape.of[d])
      if (shape.of[d] > 1 && strides[d] != dense) return false;
    return true;
  }
};

// Whether arrays of this class are on a GPU. Nothing for a class that is not read directly.
std::optional<bool> directly_on_device(nb::handle array);

// Returns false, without an exception, for every other object, and for an array whose elements are not in its memory as
// they are, or of no type that graft has.
bool read_directly(nb::handle array, ReadArray& read);

// The current stream of the array's library on the array's device. Nothing for an object that is not read directly, or
// is in host memory.
std::optional<std::intptr_t> stream_directly(nb::handle array);

// The short names of the types of arrays that are read directly, and whether these are on a GPU. A null object if one
// is not read directly, or in another kind of memory than the first.
nb::object types_directly(const nb::tuple& arrays);

// What the caller of a job gave.
struct DirectCall {
  const nb::tuple& inputs;
  nb::handle out;                       // None, an array, or a tuple or list of arrays
  std::optional<std::intptr_t> stream;  // if one was given
  graft::StateRef state;
  bool makes_outputs;  // whether the outputs can be made from the inputs' shapes
};

// Launches, and returns what the call returns: `out`, or new arrays. Returns a null object if this is no ordinary call,
// or if the launch was refused; then nothing has been launched.
nb::object call_directly(Shaped<graft::Transform>& transform, const DirectCall& call);
nb::object call_directly(Shaped<graft::Reduce>& reduce, const DirectCall& call, nb::handle axis, bool keepdims);
// With the workspace of the Fft itself.
nb::object call_directly(const graft::Fft& fft, const DirectCall& call, graft::Direction direction,
                         const std::vector<int>& axes, bool has_between);

}  // namespace graft_python
