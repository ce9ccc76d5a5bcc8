#include "cli/tune/tune_choice.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "contract.h"

namespace graft::cli {
namespace {

constexpr double kLeastGain = 0.01;  // a smaller one is not worth a kernel of another shape

bool is_faster(const base::Spread& one, const base::Spread& other) {
  return is_slower(other, one) && one.median < other.median * (1 - kLeastGain);
}

// The times of a candidate whose launches below counts[first] use another kind of tile.
TuneTimes with_single(TuneTimes times, const TuneTimes& single, std::size_t first) {
  std::copy_n(single.begin(), first, times.begin());
  return times;
}

// Returns the first count from which on the times are never slower than those of single tiles.
std::size_t first_without_single(const TuneTimes& times, const TuneTimes& single) {
  std::size_t first = times.size();
  while (first > 0 && !is_slower(times[first - 1], single[first - 1])) --first;
  return first;
}

// The geometric mean of the time in units of the rules' time.
double relative(const TuneTimes& rules, const TuneTimes& tuned) {
  double logarithms = 0;
  for (std::size_t i = 0; i < rules.size(); ++i) logarithms += std::log(tuned[i].median / rules[i].median);
  return std::exp(logarithms / static_cast<double>(rules.size()));
}

}  // namespace

bool is_slower(const base::Spread& one, const base::Spread& other) {
  return !(one.median - other.median <= one.half_range() + other.half_range());
}

bool is_improvement(const TuneTimes& rules, const TuneTimes& tuned) {
  bool is_better = false;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (is_slower(tuned[i], rules[i])) return false;
    is_better = is_better || is_faster(tuned[i], rules[i]);
  }
  return is_better;
}

std::vector<MeasuredPolicy> promising(const TuneTimes& rules, const std::vector<TuneCandidate>& candidates,
                                      const std::vector<std::uint64_t>& counts) {
  std::vector<std::pair<double, MeasuredPolicy>> found;
  for (const TuneCandidate& candidate : candidates) {
    TuneCandidate one = candidate;
    const auto is_single = [&](const TuneCandidate& other) {
      return other.policy.vector_width == one.policy.vector_width && other.policy.vectors_per_thread == 1 &&
             other.policy.block_threads == GRAFT_BLOCK_THREADS;
    };
    const auto single = std::ranges::find_if(candidates, is_single);
    if (one.policy.vectors_per_thread > 1 && single != candidates.end()) {
      const std::size_t first = first_without_single(one.seconds, single->seconds);
      if (first == counts.size()) continue;  // tiles of one vector are faster for the most elements
      if (first > 0) one.policy.single_below = static_cast<std::int64_t>(counts[first]);
      one.seconds = with_single(one.seconds, single->seconds, first);
    }
    if (const double time = relative(rules, one.seconds); time < 1) found.emplace_back(time, one.policy);
  }
  std::ranges::stable_sort(found, {}, &std::pair<double, MeasuredPolicy>::first);
  std::vector<MeasuredPolicy> policies;
  for (const auto& [time, policy] : found) policies.push_back(policy);
  return policies;
}

}  // namespace graft::cli
