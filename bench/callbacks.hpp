// The two callbacks whose making is timed, by graft and by the floor: the first in a new process, the second in a warm
// one.
#pragma once

namespace graft::bench {

inline constexpr const char* kFirstCallback = "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }\n";
inline constexpr const char* kSecondCallback = "__device__ float gain(float x) { return 2.5f * x + 1.0f; }\n";

}  // namespace graft::bench
