// How much code a formula is. In a kernel, the code of a callback is there once for each element of a thread, and a
// function such as erf of f64 has some hundred instructions. So with much code the writer makes functions that are
// called.
#pragma once

#include "formula/typing.hpp"

namespace graft::formulas {

struct CodeSize {
  bool calls_functions = false;  // each function of much code is in the kernel once, and is called
  bool is_called = false;        // and so is the whole formula
};

CodeSize code_size(const TypedTree& typed);

}  // namespace graft::formulas
