// Starts the child with posix_spawn, which neither copies the parent's memory nor runs the parent's code in the child,
// so it is safe in a process with threads.
//
// follow() reads the child's output from a pipe, and also polls the child with waitid. It needs both, because a child
// may close its output and continue to work, and a process that the child started may keep the pipe open after the
// child has ended.
#include "toolchain/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "base/bounded_text.hpp"
#include "base/descriptor.hpp"
#include "base/environment.hpp"
#include "base/format.hpp"
#include "base/spawn_settings.hpp"
#include "toolchain/program_path.hpp"

namespace graft::toolchain {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// The pauses between two checks of the child after it has closed its output. The first pause is short, because a child
// usually ends right after closing its output. The pauses double up to kLongestPause.
constexpr microseconds kFirstPause{50};
constexpr microseconds kLongestPause{20'000};

// The limit in bytes for one drain(). The limit is the size of the largest pipe (the default of
// /proc/sys/fs/pipe-max-size). So after the child has ended, one drain() reads everything that the child wrote; only
// processes that the child started can have written more.
constexpr std::size_t kMostInPipe = std::size_t{1} << 20;

// Owns a child that leads a process group. Unless end() was called, the destructor kills the group and reaps the child.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() { end(); }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Does not reap the child (WNOWAIT), so that no other process can reuse the child's process id, which is also the
  // group's id.
  bool has_ended() noexcept {
    siginfo_t info{};
    int result = 0;
    do result = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
    while (result != 0 && errno == EINTR);
    // An error means that the application has reaped the child or ignores SIGCHLD. The process id may already belong to
    // another process.
    if (result != 0) is_gone_ = true;
    return is_gone_ || info.si_pid == pid_;
  }

  // Kills the remaining processes of the group, reaps the child and returns its wait status. Returns 0 if the
  // application reaped the child.
  int end() noexcept {
    int status = 0;
    const pid_t pid = std::exchange(pid_, -1);
    if (pid <= 0 || is_gone_) return status;
    ::kill(-pid, SIGKILL);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
  }

 private:
  pid_t pid_;
  bool is_gone_ = false;
};

// This process's environment, with `variables` added or replaced.
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

// Reads the bytes that are in the pipe now, at most `most`. Closes the pipe if all writers have closed their ends.
void drain(base::Descriptor& pipe, base::BoundedText& output, std::size_t most) {
  char buffer[1 << 14];
  while (pipe.is_open() && most > 0) {
    const ssize_t count = ::read(pipe.get(), buffer, std::min(sizeof buffer, most));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) return pipe.close();
    output.append({buffer, static_cast<std::size_t>(count)});
    most -= static_cast<std::size_t>(count);
  }
}

// Waits until the pipe has output or `pause` is over.
void wait_for_output(const base::Descriptor& pipe, microseconds pause) {
  if (!pipe.is_open()) return std::this_thread::sleep_for(pause);
  pollfd wanted{pipe.get(), POLLIN, 0};
  const timespec time{0, std::chrono::nanoseconds(pause).count()};
  ::ppoll(&wanted, 1, &time, nullptr);
}

// Reads output until the child has ended. Returns false if the deadline passes before the child ends.
bool follow(Child& child, base::Descriptor& pipe, base::BoundedText& output, Clock::time_point deadline) {
  for (microseconds pause = kFirstPause; !child.has_ended(); pause = std::min(2 * pause, kLongestPause)) {
    if (Clock::now() >= deadline) return false;
    wait_for_output(pipe, pipe.is_open() ? kLongestPause : pause);
    drain(pipe, output, kMostInPipe);
  }
  return true;
}

std::string message(int error) {
  return std::generic_category().message(error);
}

std::string ending(const std::string& program, int status) {
  if (WIFSIGNALED(status)) return base::format("{} was ended by signal {}\n", program, WTERMSIG(status));
  return base::format("{} returned {}\n", program, WEXITSTATUS(status));
}

ProcessResult not_started(const std::string& what, int error) {
  return {.ok = false, .output = base::format("{}: {}\n", what, message(error)), .start_error = error};
}

std::string path_of(const std::string& program) {
  if (program.find('/') != program.npos) return program;
  return find_program(program, base::environment("PATH")).string();
}

// Starts the program and sets `pid`. Returns 0, or an errno value if the program could not be started.
int start(const std::string& program, const std::vector<std::string>& arguments,
          const std::vector<std::string>& variables, const base::Descriptor& output, const std::vector<int>& files,
          pid_t& pid) {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::vector<char*> environment = environment_with(variables);
  const base::SpawnSettings settings(output.get(), files);
  return ::posix_spawn(&pid, program.c_str(), settings.actions(), settings.attributes(), argv.data(),
                       environment.data());
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
                          const ProcessLimits& limits, const std::vector<int>& files) {
  const std::string program = path_of(arguments[0]);
  if (program.empty()) return not_started(arguments[0], ENOENT);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return not_started("pipe", errno);
  base::Descriptor reading(ends[0]);
  base::Descriptor writing(ends[1]);
  if (::fcntl(reading.get(), F_SETFL, O_NONBLOCK) != 0) return not_started("fcntl", errno);
  pid_t pid = -1;
  if (const int error = start(program, arguments, variables, writing, files, pid); error != 0)
    return not_started(arguments[0], error);

  Child child(pid);
  writing.close();
  base::BoundedText output(limits.output);
  ProcessResult result;
  result.timed_out = !follow(child, reading, output, Clock::now() + limits.time);
  const int status = child.end();
  drain(reading, output, kMostInPipe);
  result.output = std::move(output).text();
  result.ok = status == 0 && !result.timed_out;
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  else result.exit_code = WEXITSTATUS(status);
  if (result.timed_out)
    result.output += base::format("{} took more than {:.3g} seconds and was killed\n", arguments[0],
                                  std::chrono::duration<double>(limits.time).count());
  else if (!result.ok) result.output += ending(arguments[0], status);
  return result;
}

}  // namespace graft::toolchain
