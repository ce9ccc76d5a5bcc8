// The longest input that a fuzzer makes. It must be larger than every length at which a reader changes its behaviour:
// libFuzzer's own choice of 4096 bytes never reaches a limit of 1 MiB. thresholds.py compares it with the constants of
// the readers.
#pragma once

#include <cstddef>

namespace graft::fuzz {

inline constexpr std::size_t kLongestInput = std::size_t{4} << 20;

}  // namespace graft::fuzz
