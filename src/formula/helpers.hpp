// The helper functions of formulas, in CUDA C++ that GPUs and the CPU compile alike: what C++ has no operator for, or
// what C++ leaves undefined. A callback's text gets only the helpers that its formula uses, so that create stays cheap:
//
//     x // y of two ints   ->   static __device__ __forceinline__ int graft_floor_divide_i32(int graft_a, ...) { ... }
//
// A kernel takes long to compile if the code of a function such as sin of f64 is in it some hundred times. So a formula
// with many calls of such functions calls them. Their attribute is noinline and not __noinline__, which on the CPU is
// an empty macro.
//
// The texts contain only keywords, functions of C and names that begin with graft_, no preprocessor lines and no text
// of a formula.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "formula/type.hpp"

namespace graft::formulas {

// Collects the helpers that one formula uses.
class Helpers {
 public:
  // Whether functions with much code are called, or are in the callback's code wherever they are used.
  explicit Helpers(bool are_called) : are_called_(are_called) {}

  // Adds a helper for values of a type, and the helpers that it calls. Returns its name, for a call:
  // "graft_floor_divide_i32". f16 and bf16 have the helpers of f32.
  std::string use(std::string_view helper, Type type);

  // Adds what is needed to call a function of C with this many arguments. Returns its name: "sinf", or the name of a
  // helper that calls it.
  std::string use_c(std::string_view function, Type type, std::size_t arguments);

  // Adds a conversion, and returns its name: to an integer type, the nearest integer in the direction of zero, and 0 of
  // nan; or from one complex type to the other.
  std::string use_conversion(Type from, Type to);

  // The definitions, in the order in which they need each other.
  const std::string& text() const noexcept { return text_; }

 private:
  bool add(const std::string& name);
  void define(std::string_view result, std::string_view name, std::string_view parameters, std::string_view body,
              bool is_called);

  bool are_called_;
  std::vector<std::string> names_;
  std::string text_;
};

// Whether the helper has much code: it calls functions of C, divides or repeats.
bool has_much_code(std::string_view helper, Type type);
// The same of a function of C. Those that round have little code.
bool has_much_code_in_c(std::string_view function);

}  // namespace graft::formulas
