// Decides from times which tuning a tuning file gets. Pure functions, so that the decision is tested without a GPU.
//
// A kernel is called with few and with many elements, so a tuning has a time for each number of elements. It replaces
// the rules' tuning only if it is slower nowhere beyond the spread of the samples, and faster somewhere by more than
// that and by a hundredth.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/spread.hpp"
#include "graft/options.hpp"

namespace graft::cli {

// The times of calls with a tuning, for each of the numbers of elements that are measured, in ascending order.
using TuneTimes = std::vector<base::Spread>;

struct TuneCandidate {
  MeasuredPolicy policy;
  TuneTimes seconds;
};

// Whether a time is longer by more than half the quartile range of each. A nan is longer than everything.
bool is_slower(const base::Spread& one, const base::Spread& other);

// Whether the tuning may replace that of the rules.
bool is_improvement(const TuneTimes& rules, const TuneTimes& tuned);

// Returns the candidates that look faster than the rules, the best first. A candidate with several vectors per thread
// gets the number of elements below which tiles of one vector per thread are faster (MeasuredPolicy::single_below), by
// the times of the candidate with one vector, 256 threads per block and the same width, if there is one. `counts` are
// the numbers of elements.
std::vector<MeasuredPolicy> promising(const TuneTimes& rules, const std::vector<TuneCandidate>& candidates,
                                      const std::vector<std::uint64_t>& counts);

inline constexpr int kWidestTile = 16;  // the largest vector width, in elements
// How many times as many elements a thread may have as with the rules. Its code calls the callback for each of them,
// and other callbacks of the kind may have more code than the one that is measured.
inline constexpr int kMostTimesElements = 2;

// Returns the shapes of tiles that are tried beside the rules', without those that no kernel can have: `can_be` says
// which can.
template <class CanBe>
std::vector<MeasuredPolicy> tile_shapes(const MeasuredPolicy& rules, CanBe can_be) {
  const int most = rules.vector_width * rules.vectors_per_thread * kMostTimesElements;
  std::vector<MeasuredPolicy> shapes;
  for (const int width : {rules.vector_width, rules.vector_width / 2, rules.vector_width * 2})
    for (const int vectors : {1, 2, 4})
      for (const int threads : {64, 128, 256}) {
        const MeasuredPolicy shape{.vector_width = width, .vectors_per_thread = vectors, .block_threads = threads};
        const bool is_that_of_rules = width == rules.vector_width && vectors == rules.vectors_per_thread &&
                                      threads == rules.block_threads && rules.single_below == 0;
        const bool is_possible = width > 0 && width <= kWidestTile && width * vectors <= most;
        if (is_possible && !is_that_of_rules && can_be(shape)) shapes.push_back(shape);
      }
  return shapes;
}

}  // namespace graft::cli
