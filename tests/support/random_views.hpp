// Arrays of random shapes and strides, for tests of views, and the loop over the elements of a call with which they are
// compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "graft/arrays.hpp"

namespace graft::test {

using Extents = std::vector<std::int64_t>;

// Returns a shape of up to `most_rank` dimensions of 0 to 5 elements, rarely 0, and of at most `most` elements.
inline Extents random_shape(std::mt19937& random, std::size_t most_rank, std::int64_t most) {
  Extents shape(random() % (most_rank + 1));
  for (std::int64_t& extent : shape) {
    extent = random() % 50 == 0 ? 0 : 1 + static_cast<std::int64_t>(random() % 5);
    if (extent > most) extent = 1;
    most /= std::max<std::int64_t>(extent, 1);
  }
  return shape;
}

// Calls visit(index, place) for each element of the call in row-major order. `place` has a number for each dimension.
template <class Visit>
void for_each_element(const Extents& call, Visit visit) {
  std::int64_t count = 1;
  for (const std::int64_t extent : call) count *= extent;
  Extents place(call.size());
  for (std::int64_t index = 0; index < count; ++index) {
    std::int64_t rest = index;
    for (std::size_t d = call.size(); d-- > 0; rest /= call[d]) place[d] = rest % call[d];
    visit(index, place);
  }
}

// A view of an array in memory of its own.
struct RandomView {
  Extents shape, strides;
  std::int64_t first = 0;   // the element of the memory that is element (0, 0, ...)
  std::int64_t memory = 1;  // elements

  // Returns which element of the memory the element of the call is at.
  std::int64_t at(const Extents& place) const {
    std::int64_t at = first;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (shape[d] != 1) at += place[place.size() - shape.size() + d] * strides[d];
    return at;
  }

  ArrayRef ref(const void* memory_begin, const ElementType& type) const {
    return ArrayRef::shaped(static_cast<const std::byte*>(memory_begin) + first * type.size, type,
                            static_cast<std::uint32_t>(shape.size()), shape.data(), strides.data());
  }
};

// The dimensions are in any order in memory, some with gaps and some backwards. Those of an input may repeat, and the
// first may be missing.
inline RandomView random_view(const Extents& call, bool is_output, std::mt19937& random) {
  const auto one_of = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  RandomView view{call, Extents(call.size())};
  std::vector<std::size_t> order(call.size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (one_of(2) == 0) std::ranges::shuffle(order, random);
  std::int64_t stride = 1 + (one_of(4) == 0 ? 1 : 0);
  for (const std::size_t d : order) {
    if (!is_output && one_of(5) == 0) view.shape[d] = 1;
    view.strides[d] = stride;
    if (!is_output && one_of(8) == 0) view.strides[d] = 0;
    else stride *= std::max<std::int64_t>(view.shape[d], 1);
    if (one_of(4) == 0) stride += one_of(3);
    const std::int64_t reach = std::max<std::int64_t>(view.shape[d] - 1, 0) * view.strides[d];
    view.memory += reach;
    if (one_of(5) != 0) continue;
    view.first += reach;
    view.strides[d] = -view.strides[d];
  }
  while (!is_output && !view.shape.empty() && view.shape.front() == 1 && one_of(2) == 0) {
    view.shape.erase(view.shape.begin());
    view.strides.erase(view.strides.begin());
  }
  return view;
}

}  // namespace graft::test
