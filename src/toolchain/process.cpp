// posix_spawn, which neither copies the parent's memory nor runs its code in the child, so that threads do no harm.
#include "toolchain/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace graft::toolchain {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() { close(); }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  void close() noexcept {
    if (const int fd = std::exchange(fd_, -1); fd >= 0) ::close(fd);
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

class SpawnSettings {
 public:
  explicit SpawnSettings(int output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    // Last: `output` itself is 0 in an application without standard input.
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    // An application that blocks or ignores signals must not hand that on.
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    sigaddset(&standard, SIGPIPE);
    sigaddset(&standard, SIGCHLD);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &standard);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  const posix_spawn_file_actions_t* actions() const noexcept { return &actions_; }
  const posix_spawnattr_t* attributes() const noexcept { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

// A child that is waited for, at the latest by the destructor.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() { wait(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Nothing is known of the end (0) where the application reaps all children itself, or ignores SIGCHLD.
  int wait() noexcept {
    int status = 0;
    if (const pid_t pid = std::exchange(pid_, -1); pid > 0)
      while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }

 private:
  pid_t pid_;
};

// The environment with `variables` in place of what it says of them.
std::vector<char*> environment_with(const std::vector<std::string>& variables) {
  const auto replaced = [&](std::string_view entry) {
    return std::ranges::any_of(variables,
                               [&](std::string_view v) { return entry.starts_with(v.substr(0, v.find('=') + 1)); });
  };
  std::vector<char*> all;
  for (char** entry = environ; *entry; ++entry)
    if (!replaced(*entry)) all.push_back(*entry);
  for (const std::string& variable : variables) all.push_back(const_cast<char*>(variable.c_str()));
  all.push_back(nullptr);
  return all;
}

std::string read_all(int fd) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = ::read(fd, buffer, sizeof buffer);
    if (count > 0) text.append(buffer, static_cast<std::size_t>(count));
    else if (count == 0 || errno != EINTR) return text;
  }
}

std::string message(int error) {
  return std::generic_category().message(error);
}

std::string ending(const std::string& program, int status) {
  if (WIFSIGNALED(status)) return fmt::format("{} was ended by signal {}\n", program, WTERMSIG(status));
  return fmt::format("{} returned {}\n", program, WEXITSTATUS(status));
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::vector<std::string>& variables) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {false, fmt::format("pipe: {}\n", message(errno))};
  FileDescriptor reading(ends[0]);
  FileDescriptor writing(ends[1]);

  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> environment = environment_with(variables);
  const SpawnSettings settings(writing.get());
  pid_t pid = -1;
  const int error =
      ::posix_spawnp(&pid, argv[0], settings.actions(), settings.attributes(), argv.data(), environment.data());
  if (error != 0) return {false, fmt::format("{}: {}\n", arguments[0], message(error))};

  Child child(pid);
  writing.close();  // or the end of the output would never come
  ProcessResult result;
  result.output = read_all(reading.get());
  const int status = child.wait();
  result.ok = status == 0;
  if (!result.ok) result.output += ending(arguments[0], status);
  return result;
}

}  // namespace graft::toolchain
