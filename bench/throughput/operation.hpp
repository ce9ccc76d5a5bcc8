// The operations of operations.hpp as data: names, source for graft, element formats and input ranges, and a call of
// graft for each operation.
#pragma once

#include <graft/graft.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "../format.hpp"
#include "../reference.hpp"
#include "launch.hpp"

namespace graft::bench {

struct Operation {
  std::string_view name;      // "mul"
  std::string_view type;      // "f32"
  std::string_view callback;  // "mul_f32"
  const char* source;
  std::vector<Format> inputs;
  std::vector<Format> outputs;
  void (*execute)(const Transform& transform, cudaStream_t stream, const Launch& launch);

  std::size_t largest_element() const;    // bytes of the operation's largest element type
  std::size_t bytes_per_element() const;  // bytes that a launch reads and writes per element
  Arrays arrays(const Launch& launch) const;
  Range range(std::size_t input) const;  // range of the random numbers in this input
};

const std::vector<Operation>& operations();

}  // namespace graft::bench
