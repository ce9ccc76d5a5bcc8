// The size of the longest input that a fuzzer generates. This size must exceed every length at which a reader changes
// its behaviour. libFuzzer's default of 4096 bytes would never reach a limit of 1 MiB. thresholds.py compares the size
// with the readers' constants.
#pragma once

#include <cstddef>

namespace graft::fuzz {

inline constexpr std::size_t kLongestInput = std::size_t{4} << 20;

}  // namespace graft::fuzz
