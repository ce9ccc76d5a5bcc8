// The two callbacks whose compilation bench_create_* and the floor time: the first in a new process, the second
// afterwards in the same process.
#pragma once

namespace graft::bench {

inline constexpr const char* kFirstCallback = "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }\n";
inline constexpr const char* kSecondCallback = "__device__ float gain(float x) { return 2.5f * x + 1.0f; }\n";

}  // namespace graft::bench
