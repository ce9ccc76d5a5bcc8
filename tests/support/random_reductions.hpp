// Random reductions along dimensions of views: their arrays, and the elements of each result as arrays of one
// dimension, with which a reduction must make the same bits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "support/random_views.hpp"

namespace graft::test {

struct RandomReduction {
  Extents call, kept;  // kept: the shape of the outputs
  std::vector<RandomView> inputs = {};
  RandomView output = {};

  // Calls visit(place) for the elements of a result, in the order of their indices.
  template <class Visit>
  void for_each_of_result(const Extents& result, Visit visit) const {
    Extents reduced = call;
    for (std::size_t d = 0; d < call.size(); ++d)
      if (kept[d] == call[d]) reduced[d] = 1;
    for_each_element(reduced, [&](std::int64_t, const Extents& place) {
      Extents at = place;
      for (std::size_t d = 0; d < call.size(); ++d) at[d] += result[d];
      visit(at);
    });
  }
};

// `call` is reduced along the dimensions whose bits are set in `axes`.
inline RandomReduction random_reduction(const Extents& call, unsigned axes, std::size_t inputs, std::mt19937& random) {
  RandomReduction reduction{call, call};
  for (std::size_t d = 0; d < call.size(); ++d)
    if ((axes >> d & 1) != 0) reduction.kept[d] = 1;
  for (std::size_t k = 0; k < inputs; ++k) reduction.inputs.push_back(random_view(call, false, random));
  reduction.output = random_view(reduction.kept, true, random);
  // The inputs may all repeat along a dimension, and the call has that of the arrays.
  for (std::size_t d = 0; d < call.size(); ++d) {
    std::int64_t extent = reduction.kept[d];
    for (const RandomView& input : reduction.inputs) {
      const std::size_t missing = call.size() - input.shape.size();
      if (d >= missing && input.shape[d - missing] != 1) extent = input.shape[d - missing];
    }
    reduction.call[d] = extent;
  }
  return reduction;
}

}  // namespace graft::test
