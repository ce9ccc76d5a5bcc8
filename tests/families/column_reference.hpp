// What the tests of column_extremes.hpp compare results with: the extremes of columns, one column after the other.
#pragma once

#include <cstddef>
#include <vector>

#include "families/column_extremes.hpp"

namespace graft::test {

// Returns numbers from -500 to 500, whose extremes are in no particular row.
template <class T>
std::vector<T> values_for_columns(std::size_t count) {
  std::vector<T> values(count);
  unsigned random = 1;
  for (T& value : values) {
    random = random * 1664525 + 1013904223;
    value = static_cast<T>(static_cast<int>((random >> 8) % 1001) - 500);
  }
  return values;
}

template <class T, class F>
std::vector<T> reference(const std::vector<T>& in, std::size_t width, Extreme extreme, F f) {
  std::vector<T> results(width);
  for (std::size_t column = 0; column < width; ++column) {
    results[column] = f(in[column]);
    for (std::size_t i = column + width; i < in.size(); i += width) {
      const T value = f(in[i]);
      if (extreme == Extreme::Maxima ? value > results[column] : value < results[column]) results[column] = value;
    }
  }
  return results;
}

}  // namespace graft::test
