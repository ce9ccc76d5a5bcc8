// The child process of the closed mode: one build within bounds that the system enforces, then exit.
//
//     file 3   the question (closed_message.hpp)
//     file 4   the answer; the child writes an empty one first, which names its build
//
// The empty answer lets the parent tell a child that failed from a program that is not this child. The child opens no
// cache and no driver: a driver reserves more address space than the bound allows.
#pragma once

#include <cstdint>

namespace graft::engine {

// The hidden command of the program `graft` that calls serve_closed.
inline constexpr const char* kClosedCommand = "__closed";

// The largest answer in bytes. Packs with kernels for all architectures have a few MiB.
inline constexpr std::uint64_t kMostAnswer = std::uint64_t{64} << 20;

// The exit code of a child that has reached its memory bound and cannot write an answer.
inline constexpr int kOutOfMemoryExit = 97;

// Reads the question, sets the bounds, builds, and writes the answer. Returns the exit code of the process. The parent
// enforces the bound on elapsed time: it kills this process.
int serve_closed();

}  // namespace graft::engine
