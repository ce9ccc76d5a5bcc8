// Samples and what is said of them: the median, because a clock change or an interrupt must not move the result, and
// the spread, so that a reader sees how far to trust it.
#pragma once

#include <algorithm>
#include <vector>

namespace graft::bench {

struct Summary {
  double median = 0;
  double min = 0;
  double max = 0;
};

inline Summary summarize(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const std::size_t middle = samples.size() / 2;
  const double median = samples.size() % 2 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
  return {median, samples.front(), samples.back()};
}

}  // namespace graft::bench
