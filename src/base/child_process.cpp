// SpawnSettings tells posix_spawn which files, signal settings and process group the child gets.
//
// ChildProcess asks with waitid and WNOWAIT whether the child has ended, because WNOWAIT does not reap the child. As
// long as the child is not reaped, the system cannot give the child's process id to another process. The same number is
// the id of the child's process group. So ChildProcess kills the group while this number is still the group's, and only
// then reaps the child.
#include "base/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "base/descriptor.hpp"

namespace graft::base {
namespace {

// Owns the file actions and the attributes of one posix_spawn call.
class SpawnSettings {
 public:
  SpawnSettings(int output, const std::vector<int>& files) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&actions_, output, STDERR_FILENO);
    // Opens descriptor 0 after the two dup2 actions, because in an application without standard input, `output` itself
    // may be descriptor 0.
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    int next = STDERR_FILENO + 1;
    for (const int file : files) ::posix_spawn_file_actions_adddup2(&actions_, file, next++);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, next);
    // Reset the signal mask and the ignored signals, because a child inherits both from the application.
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    for (const int signal : {SIGPIPE, SIGCHLD, SIGXFSZ}) sigaddset(&standard, signal);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &standard);
    ::posix_spawnattr_setpgroup(&attributes_, 0);  // 0 makes a new process group, which the child leads
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
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

// The open files that the child inherits. posix_spawn copies them in the child to the descriptors 3, 4 and so on, one
// after another. If a file already has one of these numbers in this process, another file could be copied over it
// before its own turn. So take() first duplicates such a file to a higher number.
class FilesForChild {
 public:
  // Returns 0, or an errno value if a file cannot be duplicated.
  int take(const std::vector<int>& files) {
    const int lowest = STDERR_FILENO + 1 + static_cast<int>(files.size());
    copies_.reserve(files.size());  // so that emplace_back cannot throw and thereby leak a new descriptor
    for (const int file : files) {
      numbers_.push_back(file);
      if (file >= lowest) continue;
      copies_.emplace_back(::fcntl(file, F_DUPFD_CLOEXEC, lowest));
      if (!copies_.back().is_open()) return errno;
      numbers_.back() = copies_.back().get();
    }
    return 0;
  }
  const std::vector<int>& numbers() const noexcept { return numbers_; }

 private:
  std::vector<int> numbers_;
  std::vector<Descriptor> copies_;
};

// Returns pointers to the texts and a null pointer at the end, as posix_spawn requires. The const_cast is safe, because
// posix_spawn does not change the texts.
std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

// The whole environment of the children of a set-user-ID program. Whoever starts such a program chooses its
// environment, and programs that are not set-user-ID themselves trust theirs: g++ runs the cc1plus that COMPILER_PATH
// leads to.
constexpr const char* kFixedEnvironment[] = {"PATH=/usr/bin:/bin", nullptr};

// Returns the environment of this process, as far as a child may have it, with `variables` ("TMPDIR=/x") added. A
// variable that has the same name in this process is replaced.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  const auto replaced = [&](std::string_view entry) {
    return std::ranges::any_of(variables,
                               [&](std::string_view v) { return entry.starts_with(v.substr(0, v.find('=') + 1)); });
  };
  const bool is_of_another = ::getauxval(AT_SECURE) != 0;
  std::vector<std::string> all;
  for (const char* const* entry = is_of_another ? kFixedEnvironment : environ; *entry; ++entry)
    if (!replaced(*entry)) all.emplace_back(*entry);
  all.insert(all.end(), variables.begin(), variables.end());
  return all;
}

}  // namespace

std::string signal_name(int signal) {
  const char* const abbreviation = ::sigabbrev_np(signal);
  return std::string("SIG") + (abbreviation != nullptr ? abbreviation : "?");
}

int ChildProcess::start(const ChildProgram& program) {
  FilesForChild files;
  if (const int error = files.take(program.files); error != 0) return error;
  const SpawnSettings settings(program.output, files.numbers());
  const std::vector<char*> arguments = pointers_to(program.arguments);
  const std::vector<std::string> environment = environment_with(program.variables);
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, program.path.c_str(), settings.actions(), settings.attributes(),
                                  arguments.data(), pointers_to(environment).data());
  if (error == 0) pid_ = pid;
  return error;
}

bool ChildProcess::has_ended() noexcept {
  return look(WNOHANG);
}

void ChildProcess::wait() noexcept {
  look(0);
}

// Returns whether the child has ended, and does not reap the child. `options` is WNOHANG, or 0 to wait until the child
// ends.
bool ChildProcess::look(int options) noexcept {
  siginfo_t info{};
  int result = 0;
  do result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | options);
  while (result != 0 && errno == EINTR);
  // An error means that the application has reaped the child or ignores SIGCHLD. The process id may already belong to
  // another process, so end() must not send a signal to it.
  if (result != 0) is_gone_ = true;
  return is_gone_ || info.si_pid == pid_;
}

std::optional<Ending> ChildProcess::end() noexcept {
  const pid_t pid = std::exchange(pid_, -1);
  if (pid <= 0 || is_gone_) return std::nullopt;
  ::kill(-pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR) return std::nullopt;
  if (WIFSIGNALED(status)) return Ending{.signal = WTERMSIG(status), .exit_code = 0};
  return Ending{.signal = 0, .exit_code = WEXITSTATUS(status)};
}

}  // namespace graft::base
