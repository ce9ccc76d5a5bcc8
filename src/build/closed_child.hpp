// The child of the closed mode: one build under bounds that the system enforces, then its end.
//
//     file 3   the question (closed_message.hpp)
//     file 4   the answer: first an empty one, so that the parent knows a child of this kind has begun
//
// It opens no cache and no driver: a driver reserves more address space than the bound.
#pragma once

#include <cstdint>

namespace graft::building {

// The hidden command of the program `graft` that calls serve_closed.
inline constexpr const char* kClosedCommand = "__closed";

// The largest answer: packs with kernels for all architectures have some MiB.
inline constexpr std::uint64_t kMostAnswer = std::uint64_t{64} << 20;

// How the child ends when it has reached its bound of memory and cannot answer.
inline constexpr int kOutOfMemoryExit = 97;

// Reads the question, sets the bounds, builds, and writes the answer. Returns the exit code of the process. The time
// that passes is bounded by the parent, which kills this process.
int serve_closed();

}  // namespace graft::building
