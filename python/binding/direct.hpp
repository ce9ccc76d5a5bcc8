// Ordinary calls, without Python code: all arrays are PyTorch's, or all are CuPy's, on the GPU that is current, and the
// launch goes to the current stream of their library. Reading an array takes some 100 ns here and several microseconds
// by the protocols (arrays.hpp), which take every other call, and say what is wrong with one.
#pragma once

#include <nanobind/nanobind.h>

#include <graft/transform.hpp>

namespace graft_python {
namespace nb = nanobind;

// Launches, and returns what the call returns: `out`, or arrays that are made like an input, if `makes_outputs`.
// Returns a null object if this is no ordinary call, or if the launch was refused; then nothing has been launched.
nb::object call_directly(const graft::Transform& transform, const nb::tuple& inputs, nb::handle out,
                         const graft::StateRef& state, bool makes_outputs);

// Whether the first of a call's arrays is one that call_directly reads.
bool is_read_directly(nb::handle array);

// The short names of the types of arrays that call_directly reads, which are in GPU memory; a null object if there is
// another one.
nb::object types_directly(const nb::tuple& arrays);

}  // namespace graft_python
