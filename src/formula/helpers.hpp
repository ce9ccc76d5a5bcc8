// The helper functions of formulas, in CUDA C++ that GPUs and the CPU compile alike: what C++ has no operator for, or
// what C++ leaves undefined. A callback's text gets only the helpers that its formula uses, so that create stays cheap:
//
//     x // y of two ints   ->   static __device__ __forceinline__ int graft_floor_divide_i32(int graft_a, int graft_b) ...
//
// The texts contain only keywords, functions of C and names that begin with graft_, no preprocessor lines and no text of
// a formula.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formula/type.hpp"

namespace graft::formulas {

// Collects the helpers that one formula uses.
class Helpers {
 public:
  // Adds a helper for values of a type, and the helpers that it calls. Returns its name, for a call:
  // "graft_floor_divide_i32". f16 and bf16 have the helpers of f32.
  std::string use(std::string_view helper, Type type);

  // Adds a conversion, and returns its name: to an integer type, the nearest integer in the direction of zero, and 0 of
  // nan; or from one complex type to the other.
  std::string use_conversion(Type from, Type to);

  // The definitions, in the order in which they need each other.
  const std::string& text() const noexcept { return text_; }

 private:
  bool add(const std::string& name);

  std::vector<std::string> names_;
  std::string text_;
};

}  // namespace graft::formulas
