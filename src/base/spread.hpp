// Summarises samples of a measurement: the median, which a change of the clock rate or an interrupt hardly moves, and
// the quartiles and extremes, which show how reliable the median is.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace graft::base {

struct Spread {
  double min = 0, lower = 0, median = 0, upper = 0, max = 0;  // lower and upper are the quartiles

  double half_range() const { return (upper - lower) / 2; }
};

inline Spread spread_of(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double part) {
    const double place = part * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    return samples[below] + (place - static_cast<double>(below)) * (samples[above] - samples[below]);
  };
  return {samples.front(), at(0.25), at(0.5), at(0.75), samples.back()};
}

}  // namespace graft::base
