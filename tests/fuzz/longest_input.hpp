// The longest input that a fuzzer generates. It must exceed every length at which a reader changes its behaviour:
// libFuzzer's default of 4096 bytes never reaches a limit of 1 MiB. thresholds.py compares it with the readers'
// constants.
#pragma once

#include <cstddef>

namespace graft::fuzz {

inline constexpr std::size_t kLongestInput = std::size_t{4} << 20;

}  // namespace graft::fuzz
