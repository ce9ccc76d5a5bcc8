// Computes medians with quartiles and extremes, and ratios of two medians with the ratio's spread.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

namespace graft::bench {

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

// `value` says how many times faster the first contender is than the second. `spread` combines both contenders' half
// interquartile ranges, relative to their medians, as independent errors.
struct Ratio {
  double value = 0;
  double spread = 0;

  bool misses(double goal) const { return value + spread < goal; }
};

inline Ratio ratio_of(const Spread& seconds, double bytes, const Spread& others_seconds, double others_bytes) {
  const double value = (bytes / seconds.median) / (others_bytes / others_seconds.median);
  return {value, value * std::hypot(seconds.half_range() / seconds.median,
                                    others_seconds.half_range() / others_seconds.median)};
}

}  // namespace graft::bench
