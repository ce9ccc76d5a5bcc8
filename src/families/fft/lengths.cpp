#include "families/fft/lengths.hpp"

#include <algorithm>

namespace graft::families::fft {

std::int64_t other_factor(std::int64_t length) {
  for (const int prime : {2, 3, 5, 7, 11, 13})
    while (length % prime == 0) length /= prime;
  return length;
}

bool is_good_length(std::int64_t length) {
  return length >= 1 && length <= kLongestLength && other_factor(length) == 1;
}

std::optional<std::int64_t> good_length_below(std::int64_t length) {
  for (std::int64_t at = std::min(length - 1, kLongestLength); at >= 1; --at)
    if (is_good_length(at)) return at;
  return std::nullopt;
}

std::optional<std::int64_t> good_length_above(std::int64_t length) {
  for (std::int64_t at = std::max<std::int64_t>(length, 0) + 1; at <= kLongestLength; ++at)
    if (is_good_length(at)) return at;
  return std::nullopt;
}

}  // namespace graft::families::fft
