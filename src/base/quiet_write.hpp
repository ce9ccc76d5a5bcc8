// write(2) whose failure is a result and never a signal.
//
// Beyond the limit on the size of files (ulimit -f) the system sends SIGXFSZ with EFBIG, and into a pipe without a
// reader SIGPIPE with EPIPE. Either signal ends a process that did not prepare for it, and a library must not make its
// application prepare.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace graft::base {

// As write(2): the bytes written, or -1 with errno. Signals that were pending or blocked before stay so.
ssize_t write_quietly(int file, const void* from, std::size_t size) noexcept;

}  // namespace graft::base
