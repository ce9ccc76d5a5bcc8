// Computes ratios of two medians with the ratio's spread.
#pragma once

#include <cmath>

#include "base/spread.hpp"

namespace graft::bench {

using base::Spread;
using base::spread_of;

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
