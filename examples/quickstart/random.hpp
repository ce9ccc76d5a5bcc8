// Makes random inputs for the programs of this folder. The seed is fixed, so that a failure can be reproduced.
#pragma once

#include <algorithm>
#include <cstddef>
#include <random>
#include <vector>

namespace quickstart {

inline std::mt19937& generator() {
  static std::mt19937 engine(20240229);
  return engine;
}

inline std::vector<float> random_floats(std::size_t count, float low, float high) {
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(count);
  std::generate(values.begin(), values.end(), [&] { return distribution(generator()); });
  return values;
}

}  // namespace quickstart
