// The operating system sends SIGXFSZ and SIGPIPE to the thread that writes. So write_quietly blocks both signals in the
// calling thread, writes, consumes the signal that its own write raised, and restores the thread's signal mask.
#include "base/quiet_write.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

namespace graft::base {
namespace {

class BlockedSignals {
 public:
  BlockedSignals() noexcept {
    sigset_t both;
    sigemptyset(&both);
    sigaddset(&both, SIGXFSZ);
    sigaddset(&both, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &both, &before_);
    ::sigpending(&pending_);
  }
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  // Not copyable, because the signal mask is restored once.
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // Consumes the pending signal, except if the signal was pending before the write. In that case, something other than
  // the write has raised the signal, and the application must still receive the signal.
  void take_away(int signal) const noexcept {
    if (sigismember(&pending_, signal) == 1) return;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    const timespec no_time{};
    while (::sigtimedwait(&one, nullptr, &no_time) < 0 && errno == EINTR) continue;
  }

 private:
  sigset_t before_;
  sigset_t pending_;
};

}  // namespace

ssize_t write_quietly(int file, const void* from, std::size_t size) noexcept {
  const BlockedSignals blocked;
  const ssize_t written = ::write(file, from, size);
  const int error = errno;
  if (written < 0 && error == EFBIG) blocked.take_away(SIGXFSZ);
  if (written < 0 && error == EPIPE) blocked.take_away(SIGPIPE);
  errno = error;
  return written;
}

}  // namespace graft::base
