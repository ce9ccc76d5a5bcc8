// Writes the callback of a formula as CUDA C++:
//
//     a * max(x, 0) + b     (x: an input, a and b: parameters, all f32)
//
//     static __device__ __forceinline__ float graft_max_f32(float graft_a, float graft_b) { ... }
//     struct graft_values { float graft_p0; float graft_p1; };
//     __device__ float graft_formula(float graft_x0, const graft_values& graft_p) {
//       return ((graft_p.graft_p0 * graft_max_f32(graft_x0, 0.0f)) + graft_p.graft_p1);
//     }
//
// The text depends on the tree and the types alone: no name, number or symbol is copied from the formula. All its names
// begin with graft_, apart from those of C's functions and of the application's own functions. It has no preprocessor
// lines, so the closed mode takes it too.
#pragma once

#include <string>
#include <string_view>

#include "formula/typing.hpp"

namespace graft::formulas {

inline constexpr std::string_view kEntry = "graft_formula";

std::string write(const TypedTree& typed);

}  // namespace graft::formulas
