// The two callbacks that bench_create_* and bench_floor compile. Each program times the first callback in a new process
// and then the second callback in the same process.
#pragma once

namespace graft::bench {

inline constexpr const char* kFirstCallback = "__device__ float relu(float x) { return x > 0.0f ? x : 0.0f; }\n";
inline constexpr const char* kSecondCallback = "__device__ float gain(float x) { return 2.5f * x + 1.0f; }\n";

}  // namespace graft::bench
