// Starts child processes with posix_spawn, waits for them, and kills the processes that they leave running.
#include "cli/child/spawn.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/spawn_settings.hpp"
#include "core/fail.hpp"

namespace graft::cli {
namespace {

constexpr int kLowest = 5;  // the lowest descriptor number that own() returns

[[noreturn]] void fail_by(const std::string& what, int error) {
  fail(ErrorCode::SystemFailed, what + ": " + std::generic_category().message(error), std::string(kSystemRemedy));
}

[[noreturn]] void fail_by_errno(const char* call) {
  fail_by(std::string("graft cannot use a child process: ") + call, errno);
}

}  // namespace

base::Descriptor own(int fd, const char* what) {
  if (fd < 0) fail_by_errno(what);
  base::Descriptor given(fd);
  if (fd >= kLowest) return given;
  base::Descriptor higher(::fcntl(fd, F_DUPFD_CLOEXEC, kLowest));
  if (!higher.is_open()) fail_by_errno("fcntl");
  return higher;
}

MemoryFile::MemoryFile(const char* name) : file_(own(::memfd_create(name, MFD_CLOEXEC), "memfd_create")) {}

base::Bytes MemoryFile::content() const {
  const off_t size = ::lseek(fd(), 0, SEEK_END);
  if (size < 0) fail_by_errno("lseek");
  base::Bytes bytes(static_cast<std::size_t>(size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::pread(fd(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail_by_errno("pread");
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

void MemoryFile::clear() const {
  // The child shares the file position with this process, so the position must be reset too.
  if (::ftruncate(fd(), 0) != 0 || ::lseek(fd(), 0, SEEK_SET) != 0) fail_by_errno("ftruncate");
}

pid_t start_child(const std::vector<std::string>& words, int parent_file, const MemoryFile& log) {
  const base::SpawnSettings settings(log.fd(), {parent_file});
  std::string program = "graft";
  std::vector<char*> argv = {program.data()};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  if (const int error =
          ::posix_spawn(&pid, "/proc/self/exe", settings.actions(), settings.attributes(), argv.data(), environ);
      error != 0)
    fail_by("graft cannot start a child process", error);
  return pid;
}

void end_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

Ending wait_for(pid_t child) {
  // A child that crashed leaves its own children (compilers) running, so kill the child's process group. Do this before
  // the child is reaped, because until then the system cannot give the child's process id to another process.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT) != 0)
    if (errno != EINTR) fail_by_errno("waitid");
  ::kill(-child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) fail_by_errno("waitpid");
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status), .exit_code = 0};
  return {.signal = 0, .exit_code = WEXITSTATUS(status)};
}

}  // namespace graft::cli
