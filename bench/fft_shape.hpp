// The shapes of FFTs that a benchmark measures, on the command line and as plans.
#pragma once

#include <cstddef>
#include <cstdint>
#include <graft/fft.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace graft::bench {

// The points of each dimension, the slowest first; or the length alone.
using Shape = std::vector<std::int64_t>;

// Reads a list such as "512x512,65536".
inline std::vector<Shape> parse_shapes(const std::string& text) {
  std::vector<Shape> shapes;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    std::istringstream extents(word);
    shapes.emplace_back();
    for (std::string extent; std::getline(extents, extent, 'x');) shapes.back().push_back(std::stoll(extent));
  }
  return shapes;
}

inline FftPlan plan_of(const Shape& shape, FftPrecision precision, std::size_t batch) {
  FftPlan plan{.precision = precision, .batch = batch};
  if (shape.size() == 1) plan.length = shape.front();
  else plan.shape = shape;
  return plan;
}

}  // namespace graft::bench
