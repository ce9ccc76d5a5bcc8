// The two memory files (result, log) never fill up as pipes do, so that the parent only has to wait.
#include "cli/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "cli/child_message.hpp"
#include "core/fail.hpp"
#include "graft/engine.hpp"
#include "graft/error.hpp"

namespace graft::cli {
namespace {

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), std::string("graft: ") + call);
}

class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : fd_(::memfd_create(name, MFD_CLOEXEC)) {
    if (fd_ < 0) fail("memfd_create");
    // A number below 5 could be overwritten by the child's own 1, 2 and 3 before it is copied.
    if (fd_ < 5) {
      const int higher = ::fcntl(fd_, F_DUPFD_CLOEXEC, 5);
      ::close(std::exchange(fd_, higher));
      if (fd_ < 0) fail("fcntl");
    }
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int fd() const noexcept { return fd_; }

  base::Bytes content() const {
    const off_t size = ::lseek(fd_, 0, SEEK_END);
    if (size < 0) fail("lseek");
    base::Bytes bytes(static_cast<std::size_t>(size));
    std::size_t done = 0;
    while (done < bytes.size()) {
      const ssize_t count = ::pread(fd_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail("pread");
      done += static_cast<std::size_t>(count);
    }
    return bytes;
  }

 private:
  int fd_;
};

class FileActions {
 public:
  FileActions(int result, int log) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&actions_, log, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, log, STDERR_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, result, kResultFile);
  }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
  const posix_spawn_file_actions_t* get() const noexcept { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) fail("waitpid");
  return status;
}

bool write_result(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(kResultFile, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

ChildMessage build_message(const BuildRequest& request) {
  try {
    const Options options = request.options();
    const Callback callback = request.read_callback();
    const Architecture architecture = options.architecture.value_or(kOldestArchitecture);
    return {.image = build(callback, architecture, options).data(), .error = {}};
  } catch (const Error& error) {
    return {.image = nullptr, .error = error};
  }
}

}  // namespace

ChildResult run_child(const std::vector<std::string>& words) {
  const MemoryFile result("graft result");
  const MemoryFile log("graft log");
  const FileActions actions(result.fd(), log.fd());
  std::string program = "graft";
  std::vector<char*> argv = {program.data()};
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = -1;
  if (const int error = ::posix_spawn(&pid, "/proc/self/exe", actions.get(), nullptr, argv.data(), environ); error != 0)
    throw std::system_error(error, std::generic_category(), "graft: it cannot be started a second time");

  const int status = wait_for(pid);
  ChildResult ended;
  if (WIFSIGNALED(status)) ended.signal = WTERMSIG(status);
  else ended.exit_code = WEXITSTATUS(status);
  ended.bytes = result.content();
  ended.log = base::as_text(log.content());
  return ended;
}

void throw_if_crashed(const ChildResult& result, const std::string& what) {
  if (result.signal == 0) return;
  const char* const abbreviation = ::sigabbrev_np(result.signal);
  fail(ErrorCode::LinkFailed,
       fmt::format("{}: the process that did it was ended by signal {} (SIG{}: {})", what, result.signal,
                   abbreviation ? abbreviation : "?", ::strsignal(result.signal)),
       "NVIDIA's compiler and linker crash on damaged input: make the file anew. When it is whole, try "
       "another route (--route) or another toolkit (GRAFT_CUDA_PATH).",
       result.log);
}

Image build_in_child(const BuildRequest& request) {
  std::vector<std::string> words = {"__build"};
  for (std::string& word : request.words()) words.push_back(std::move(word));
  const ChildResult result = run_child(words);
  const std::string what = fmt::format("building {}", request.callback.substr(0, request.callback.find('\n')));
  throw_if_crashed(result, what);
  ChildMessage message = read_message(result.bytes);
  if (message.error) throw Error(*message.error);
  if (!message.image)
    fail(ErrorCode::LinkFailed,
         fmt::format("{}: the process that did it returned {} and left no image", what, result.exit_code),
         "Its own words say why.", result.log);
  return Image(std::move(message.image));
}

int build_for_parent(const BuildRequest& request) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody would read what comes out
  return write_result(write_message(build_message(request))) ? 0 : 1;
}

}  // namespace graft::cli
