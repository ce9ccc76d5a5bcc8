// Finds the math functions that a text may call with arguments for which NVRTC finds two functions: integers, or a
// float and a double. building_blocks/math_calls.h has overloads for such calls.
//
//     __device__ float f(float x) { return max(x, 0) * sqrt(x); }   ->   max, whose arguments have the integer 0
//
// The search is lexical and does not know types. A text whose words and numbers are all of type float gets no
// overloads, because each takes NVRTC time; in doubt a text gets them, because an overload changes no other call.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "reflect/text/text.hpp"

namespace graft::reflect {

struct MathFunction {
  std::string_view name;   // "max"
  std::string_view macro;  // the macro of math_calls.h that declares its overloads: "GRAFT_MATH_OF_EXTREME"
  bool operator<(const MathFunction& other) const { return name < other.name; }
  bool operator==(const MathFunction& other) const { return name == other.name; }
};

// Collects the calls of several texts that are compiled together.
class MathCalls {
 public:
  void read(const Text& text);
  // Takes calls of all functions, for a text that nobody reads.
  void take_all();

  // The functions that need overloads, by name.
  std::vector<MathFunction> ambiguous() const;

 private:
  void read(const std::vector<Token>& tokens, bool is_macro);

  std::set<MathFunction> called_;
  std::set<MathFunction> mixed_;    // an argument has a number that is no float
  bool has_other_numbers_ = false;  // a text has a type or a macro that may stand for other numbers than floats
};

}  // namespace graft::reflect
