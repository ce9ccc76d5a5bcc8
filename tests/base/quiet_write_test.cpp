// Tests that a failing write returns an error and raises no signal (SIGPIPE, SIGXFSZ) in the process. Signals that
// another cause has raised must stay pending.
#include "base/quiet_write.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/bytes.hpp"
#include "base/files.hpp"

namespace graft::base {
namespace {

// While an object of this class exists, the size to which this process can grow a file is limited.
class FileLimit {
 public:
  explicit FileLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  rlimit before_{};
};

bool is_blocked(int signal) {
  sigset_t mask;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

bool is_pending(int signal) {
  sigset_t pending;
  ::sigpending(&pending);
  return sigismember(&pending, signal) == 1;
}

TEST(QuietWrite, BeyondTheLimitOfFilesIsAnError) {
  const TemporaryFolder folder;
  const FileLimit limit(10);
  EXPECT_FALSE(write_file(folder.path() / "file", as_bytes("more than ten bytes")));
  EXPECT_EQ(errno, EFBIG);
  EXPECT_EQ(read_file(folder.path() / "file"), "more than ");
  EXPECT_TRUE(write_file(folder.path() / "file", as_bytes("ten bytes!")));
  EXPECT_FALSE(is_blocked(SIGXFSZ) || is_pending(SIGXFSZ));
}

TEST(QuietWrite, IntoAPipeWithoutAReaderIsAnError) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(write_quietly(ends[1], "x", 1), -1);
  EXPECT_EQ(errno, EPIPE);
  EXPECT_FALSE(write_all(ends[1], as_bytes("text")));
  EXPECT_FALSE(is_blocked(SIGPIPE) || is_pending(SIGPIPE));
  ::close(ends[1]);
}

// The application has blocked SIGPIPE. A SIGPIPE that was pending before the write must still be pending after it.
TEST(QuietWrite, LeavesTheSignalsOfOthersAlone) {
  sigset_t one;
  sigset_t before;
  sigemptyset(&one);
  sigaddset(&one, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &one, &before);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  EXPECT_EQ(write_quietly(ends[1], "x", 1), -1);
  EXPECT_FALSE(is_pending(SIGPIPE));
  ::raise(SIGPIPE);
  EXPECT_EQ(write_quietly(ends[1], "x", 1), -1);
  EXPECT_TRUE(is_pending(SIGPIPE));
  EXPECT_TRUE(is_blocked(SIGPIPE));
  const timespec no_time{};
  ::sigtimedwait(&one, nullptr, &no_time);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::close(ends[1]);
}

TEST(QuietWrite, SuccessIsAsEver) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(write_quietly(ends[1], "text", 4), 4);
  char text[4];
  EXPECT_EQ(::read(ends[0], text, 4), 4);
  EXPECT_EQ(std::string(text, 4), "text");
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace graft::base
