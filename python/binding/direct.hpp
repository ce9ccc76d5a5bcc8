// Ordinary calls, without Python code: all arrays are read directly (readers.hpp) and are on one device, which is
// current, and the launch goes to their library's current stream or to one that was given. Every other call is made by
// Python code, which says what is wrong with one.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <graft/fft.hpp>
#include <graft/reduce.hpp>
#include <graft/transform.hpp>

#include "shaped.hpp"

namespace graft_python {
namespace nb = nanobind;

// What the caller of a job gave. The caller keeps all objects.
struct DirectCall {
  std::span<PyObject* const> inputs;
  nb::handle out;  // None, an array, or a tuple or list of arrays
  Place stream;    // if one was given
  graft::StateRef state;
  bool makes_outputs = false;  // whether the outputs can be made from the inputs' shapes
  std::optional<int> device_of_state = {};
};

// Launches, and returns what the call returns: `out`, or new arrays. Returns a null object if this is no ordinary call,
// or if the launch was refused; then nothing has been launched.
nb::object call_directly(Shaped<graft::Transform>& transform, const DirectCall& call);
nb::object call_directly(Shaped<graft::Reduce>& reduce, const DirectCall& call, nb::handle axis, bool keepdims);
// With the workspace of the Fft itself.
nb::object call_directly(const graft::Fft& fft, const DirectCall& call, graft::Direction direction,
                         const std::vector<int>& axes, bool has_between);

}  // namespace graft_python
