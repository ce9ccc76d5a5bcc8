// The arguments of one launch: checked against the kernel's shape, and laid out as the kernel reads them. Pure, and
// without allocation unless an error is thrown: every execute does both.
#pragma once

#include <cstddef>
#include <span>

#include "families/call.hpp"
#include "families/elementwise/shape.hpp"
#include "graft/arrays.hpp"

namespace graft::elementwise {

using families::Arguments;
using families::Grid;

// Returns the number of elements. Throws Error: CountMismatch, TypeMismatch, Misaligned, Overlap, or InvalidArgument (a
// null pointer, or more blocks than a grid can have).
std::size_t check(const LaunchShape& shape, const Arguments& arguments);

// Writes the kernel's parameter into `to`, which has room for shape.parameter_bytes and is aligned to
// families::kParameterAlignment, and returns the grid. `count` is what check() returned, above 0.
Grid pack(const LaunchShape& shape, const Arguments& arguments, std::size_t count, std::byte* to);

}  // namespace graft::elementwise
