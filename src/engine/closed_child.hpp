// The child process of the closed mode. It builds one kernel within limits that the operating system enforces, and
// exits.
//
//     descriptor 3   the request (ClosedQuestion in closed_message.hpp)
//     descriptor 4   the answer (ClosedAnswer). The child first writes an empty answer, which names the child's build.
//
// The empty answer lets the parent tell a child that failed from a program that is not this child. The child opens no
// cache. It does not load the CUDA driver, which reserves more address space than the memory bound allows.
#pragma once

#include <cstdint>

namespace graft::engine {

// The hidden command of the program `graft`. It calls serve_closed.
inline constexpr const char* kClosedCommand = "__closed";

// The largest answer in bytes. A pack with kernels for all architectures has a few MiB.
inline constexpr std::uint64_t kMostAnswer = std::uint64_t{64} << 20;

// The exit code of a child that reached its memory bound and could not write an answer.
inline constexpr int kOutOfMemoryExit = 97;

// Reads the request, sets the limits, builds, and writes the answer. Returns the exit code of the process. The parent
// enforces the bound on elapsed time: it kills this process.
int serve_closed();

}  // namespace graft::engine
