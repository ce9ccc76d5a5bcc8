// Gives arrays of .npy files one shape, as NumPy's broadcasting does: shapes align at the right, and an array repeats
// along a dimension that it lacks, and along one in which its extent is 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/arrays/npy.hpp"

namespace graft::cli {

// Repeats the arrays' elements and orders them by rows, where an array is not so already, and returns the shape.
// `names` are the arrays' files. Throws Error(CountMismatch) for shapes that do not align, and std::runtime_error if
// there is not enough memory.
std::vector<std::uint64_t> broadcast(std::vector<NpyArray>& arrays, const std::vector<std::string>& names);

}  // namespace graft::cli
