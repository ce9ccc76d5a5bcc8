// Checks the arguments of one launch against the kernel's LaunchGeometry, and lays them out as the kernel reads them.
// Every execute calls check() and lay_out_arguments(), so these functions allocate memory only to throw an error. Both
// functions are pure.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "families/call.hpp"
#include "families/elementwise/launch_geometry.hpp"
#include "graft/arrays.hpp"
#include "graft/error.hpp"

namespace graft::elementwise {

using families::Arguments;
using families::array_at;
using families::Grid;

// Checks the arguments, and returns the number of elements of the arrays. Throws Error: CountMismatch, TypeMismatch,
// Misaligned, Overlap, or InvalidArgument (a null pointer, or more thread blocks than a grid can have).
std::size_t check(const LaunchGeometry& geometry, const Arguments& arguments);

// Writes the kernel's parameter into `to`, which has room for geometry.parameter_bytes and is aligned to
// families::kParameterAlignment, and returns the grid. `count` is the result of check(), and must not be 0.
Grid lay_out_arguments(const LaunchGeometry& geometry, const Arguments& arguments, std::size_t count, std::byte* to);

// ---- for calls with views (shapes/view_call.hpp) ----

// Checks the number of arrays, their types and the state, but no lengths. Throws as check().
void check_kinds(const LaunchGeometry& geometry, const Arguments& arguments);
// Checks that all arrays of a call without views have the same length. Throws as check().
void check_counts(const LaunchGeometry& geometry, const Arguments& arguments);
// Checks that no pointer is null, and that each is aligned to its elements. Throws as check().
void check_pointers(const LaunchGeometry& geometry, const Arguments& arguments);
// Throws Error(InvalidArgument) if no grid has enough thread blocks for so many elements without tiles.
void check_grid(const LaunchGeometry& geometry, std::size_t count);
// Throws an error whose message begins with the kernel's name and signature.
[[noreturn]] void refuse_call(const LaunchGeometry& geometry, ErrorCode code, const std::string& what,
                              std::string remedy);

}  // namespace graft::elementwise
