// Whether a short list has a name.
#pragma once

#include <algorithm>
#include <iterator>

namespace graft::formulas {

template <class List, class Value>
constexpr bool is_among(const List& list, const Value& value) {
  return std::ranges::find(list, value) != std::end(list);
}

}  // namespace graft::formulas
