// The arguments of one launch: checked against the kernel's shape, and laid out as the kernel reads them. Pure, and
// without allocation unless an error is thrown: every execute does both.
#pragma once

#include <cstddef>
#include <span>

#include "graft/arrays.hpp"
#include "launch/shape.hpp"

namespace graft::launch {

struct Arguments {
  std::span<const ArrayRef> inputs;
  std::span<const ArrayRef> outputs;
  const void* state = nullptr;
  ElementType state_type;
  void* load_info = nullptr;
  void* store_info = nullptr;
};

struct Grid {
  unsigned blocks = 0;
  unsigned threads = 0;  // of a block
};

// Returns the number of elements. Throws Error: CountMismatch, TypeMismatch, Misaligned, Overlap, or InvalidArgument (a
// null pointer, or more blocks than a grid can have).
std::size_t check(const LaunchShape& shape, const Arguments& arguments);

// Writes the kernel's parameter into `to`, which has room for shape.parameter_bytes and is aligned to
// kMaxStateAlignment, and returns the grid. `count` is what check() returned, above 0.
Grid pack(const LaunchShape& shape, const Arguments& arguments, std::size_t count, std::byte* to);

}  // namespace graft::launch
