// write_quietly does what write(2) does, but reports a failure only by its result and never by a signal.
//
// A write beyond the limit on file sizes (ulimit -f) fails with EFBIG and also raises SIGXFSZ. A write into a pipe
// without a reader fails with EPIPE and also raises SIGPIPE. Either signal ends a process that has no handler for it,
// and a library must not require its application to install a handler.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace graft::base {

// Like write(2), returns the number of bytes written, or returns -1 and sets errno. The calling thread's pending and
// blocked signals are the same after the call as before it.
ssize_t write_quietly(int file, const void* from, std::size_t size) noexcept;

}  // namespace graft::base
