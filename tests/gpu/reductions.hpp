// What the tests of reductions on a GPU share.
#pragma once

#include <cstddef>
#include <optional>
#include <random>
#include <vector>

#include "graft/options.hpp"

namespace graft::test {

// The host route contracts nothing, so results are compared with its bits without contraction.
inline Options without_contraction(std::optional<Route> route = std::nullopt) {
  Options options;
  options.floating_point.contraction = false;
  options.routes.required = route;
  return options;
}

// Numbers from -100 to 100, which are the same for each call with this count.
template <class T>
std::vector<T> randoms(std::size_t count) {
  std::mt19937 random(static_cast<unsigned>(count));
  std::vector<T> values(count);
  for (T& value : values) value = static_cast<T>(static_cast<double>(random() % 20001) / 100 - 100);
  return values;
}

}  // namespace graft::test
