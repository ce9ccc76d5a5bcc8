// Summaries of samples for a record. Quartiles and extremes show how reliable the median is.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "statistics.hpp"

namespace graft::bench {

// Returns the value below which `fraction` of the samples lie, interpolated between two samples.
inline double quantile(std::vector<double> samples, double fraction) {
  if (samples.empty()) return 0;
  std::sort(samples.begin(), samples.end());
  const double place = fraction * static_cast<double>(samples.size() - 1);
  const std::size_t below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (place - static_cast<double>(below)) * (samples[above] - samples[below]);
}

// Returns a JSON object. With the unit "ms" it is {"median_ms": ..., "min_ms": ..., "q1_ms": ..., "q3_ms": ...,
// "max_ms": ...}.
inline nlohmann::json spread(const std::vector<double>& samples, const std::string& unit) {
  const Summary summary = summarize(samples);
  return {{"median_" + unit, summary.median},
          {"min_" + unit, summary.min},
          {"q1_" + unit, quantile(samples, 0.25)},
          {"q3_" + unit, quantile(samples, 0.75)},
          {"max_" + unit, summary.max}};
}

}  // namespace graft::bench
