// The child process of the closed mode (Options::closed, for formulas from authors whom the application does not
// trust). The child builds one kernel within limits that the operating system enforces, and exits.
//
//     descriptor 3   the request (Question in child_message.hpp)
//     descriptor 4   the answer (Answer). The child first writes an empty answer with its build's name.
//
// The empty answer tells the parent that it has started the right program. If a program ends without writing the empty
// answer, the parent reports that this program is not `graft`, instead of a failed build. The child opens no cache and
// does not load the CUDA driver, because the driver reserves more address space than the memory bound allows.
#pragma once

#include <cstdint>

namespace graft::engine {

// The hidden command of the program `graft` that calls serve_closed.
inline constexpr const char* kClosedCommand = "__closed";

// The largest answer in bytes. A pack with kernels for all architectures has a few MiB.
inline constexpr std::uint64_t kMostAnswer = std::uint64_t{64} << 20;

// The exit code of a child that reached its memory bound and could not write an answer.
inline constexpr int kOutOfMemoryExit = 97;

// The exit code of a child whose answer has more than kMostAnswer bytes.
inline constexpr int kTooLargeExit = 98;

// Reads the request, sets the limits, builds, and writes the answer. Returns the exit code of the process. When the
// time bound is over, the parent kills the process.
int serve_closed();

}  // namespace graft::engine
