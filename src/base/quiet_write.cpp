// The kernel sends both signals to the thread that writes. So they are blocked in this thread alone, the one that the
// write made is taken away, and the thread's mask is put back.
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
  BlockedSignals(const BlockedSignals&) = delete;  // restores the mask, once
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  // One that was pending before belongs to somebody else.
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
