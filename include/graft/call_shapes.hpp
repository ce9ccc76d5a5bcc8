// The shapes of a call's arrays, without their memory: an example for Options::shapes.
//
//     graft::Options options;
//     options.shapes.emplace_back(graft::inputs(graft::view(a, {m, n}), row), graft::view(out, {m, n}));
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <graft/arrays.hpp>
#include <graft/element.hpp>
#include <graft/export.hpp>

namespace graft {

class CallShapes {
 public:
  // Takes arrays as execute does, and copies their extents and strides. Their memory is not looked at, so pointers may
  // be null. Throws Error(InvalidArgument) for a view of more than 64 dimensions.
  GRAFT_API CallShapes(ArrayRefs in, ArrayRefs out);
  template <class = void>
  CallShapes(const Inputs& in, const Outputs& out) : CallShapes(in.refs(), out.refs()) {}

  struct Array {
    ElementType type = {};
    bool is_view = false;
    std::vector<std::int64_t> extents = {};  // of an array that is no view: its number of elements
    std::vector<std::int64_t> strides = {};  // in elements; empty: row-major and dense

    // Describes the array with a null pointer, as long as this object lives.
    GRAFT_API ArrayRef ref() const noexcept;
  };
  const std::vector<Array>& inputs() const noexcept { return inputs_; }
  const std::vector<Array>& outputs() const noexcept { return outputs_; }

 private:
  std::vector<Array> inputs_;
  std::vector<Array> outputs_;
};

}  // namespace graft
