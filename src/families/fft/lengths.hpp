// Which lengths an FFT can have: 1 to 2^24, with no prime factor above 13. 13 is the largest prime that has a
// butterfly.
#pragma once

#include <cstdint>
#include <optional>

namespace graft::families::fft {

inline constexpr std::int64_t kLongestLength = std::int64_t{1} << 24;

// Returns the largest factor of `length` (at least 1) whose prime factors are all above 13: 1 for a good length, 17 for
// 34.
std::int64_t other_factor(std::int64_t length);

bool is_good_length(std::int64_t length);

// Returns the good length that is nearest to `length` from below or from above, for error messages. Returns nothing if
// there is none: below 1, or above kLongestLength.
std::optional<std::int64_t> good_length_below(std::int64_t length);
std::optional<std::int64_t> good_length_above(std::int64_t length);

}  // namespace graft::families::fft
