// The arrays of an example of shapes (Options::shapes), as a call has them.
#pragma once

#include <vector>

#include "graft/call_shapes.hpp"

namespace graft {

inline std::vector<ArrayRef> refs(const std::vector<CallShapes::Array>& shapes) {
  std::vector<ArrayRef> arrays;
  for (const CallShapes::Array& shape : shapes) arrays.push_back(shape.ref());
  return arrays;
}

}  // namespace graft
