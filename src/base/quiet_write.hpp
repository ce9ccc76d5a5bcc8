// write(2) that reports a failure by its result and never by a signal.
//
// A write beyond the limit on file sizes (ulimit -f) raises SIGXFSZ besides EFBIG, and a write into a pipe without a
// reader raises SIGPIPE besides EPIPE. Either signal ends a process that has no handler for it, and a library must not
// require its application to install one.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace graft::base {

// Like write(2): returns the number of bytes written, or -1 and sets errno. Signals that were pending or blocked before
// the call are so after it.
ssize_t write_quietly(int file, const void* from, std::size_t size) noexcept;

}  // namespace graft::base
