// The examples of shapes with which a job is made (Options::shapes).
#pragma once

#include <string>
#include <vector>

#include "engine/loaded_job.hpp"
#include "graft/call_shapes.hpp"

namespace graft {

// The arrays of an example, as a call has them.
inline std::vector<ArrayRef> refs(const std::vector<CallShapes::Array>& shapes) {
  std::vector<ArrayRef> arrays;
  for (const CallShapes::Array& shape : shapes) arrays.push_back(shape.ref());
  return arrays;
}

// Now that the signature is known, checks the examples of a job, and makes the kernels that serve them best, as far as
// it has none. method_for(in, out) returns the method for such arrays.
template <class MethodFor>
void add_kernels_for_examples(LoadedJob& job, MethodFor method_for) {
  std::vector<std::string> methods;
  for (const CallShapes& example : job.options().shapes)
    methods.push_back(method_for(refs(example.inputs()), refs(example.outputs())));
  if (job.want_methods(methods)) job.prepare_devices();
}

}  // namespace graft
