// Summaries of samples. The median is robust against a change of the clock rate or an interrupt. Minimum and maximum
// show how reliable the median is.
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
