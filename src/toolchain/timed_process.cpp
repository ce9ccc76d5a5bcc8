// Runs a program as a base::ChildProcess and collects its output. follow() reads the output from a pipe, and also polls
// the child. follow() needs both, because a child may close its output and continue to work, and because a process that
// the child started may keep the pipe open after the child has ended.
#include "toolchain/timed_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "base/bounded_text.hpp"
#include "base/cancellation.hpp"
#include "base/child_process.hpp"
#include "base/descriptor.hpp"
#include "base/environment.hpp"
#include "base/format.hpp"
#include "toolchain/program_path.hpp"

namespace graft::toolchain {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;

// The pauses between two checks of the child after it has closed its output. The first pause is short, because a child
// usually ends right after closing its output. The pauses double up to kLongestPause.
constexpr microseconds kFirstPause{50};
constexpr microseconds kLongestPause{20'000};

// The most bytes that one call of drain() reads, which is the size of the largest pipe (the default of
// /proc/sys/fs/pipe-max-size). So after the child has ended, one drain() reads everything that the child wrote. Only
// processes that the child started can have written more.
constexpr std::size_t kMostInPipe = std::size_t{1} << 20;

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
bool follow(base::ChildProcess& child, base::Descriptor& pipe, base::BoundedText& output, Clock::time_point deadline) {
  for (microseconds pause = kFirstPause; !child.has_ended(); pause = std::min(2 * pause, kLongestPause)) {
    base::throw_if_cancelled();  // the destructor of `child` kills the child
    if (Clock::now() >= deadline) return false;
    wait_for_output(pipe, pipe.is_open() ? kLongestPause : pause);
    drain(pipe, output, kMostInPipe);
  }
  return true;
}

std::string message(int error) {
  return std::generic_category().message(error);
}

std::string text_of(const base::Ending& ending, const std::string& program) {
  if (ending.signal != 0) return base::format("{} was ended by signal {}\n", program, ending.signal);
  return base::format("{} returned {}\n", program, ending.exit_code);
}

ProcessResult not_started(const std::string& what, int error) {
  return {.ok = false, .output = base::format("{}: {}\n", what, message(error)), .start_error = error};
}

std::string path_of(const std::string& program) {
  if (program.find('/') != program.npos) return program;
  return find_program(program, base::environment("PATH")).string();
}

}  // namespace

bool ProcessResult::lacked_resources() const noexcept {
  return start_error == EAGAIN || start_error == ENOMEM || start_error == EMFILE || start_error == ENFILE;
}

std::string ProcessResult::last_line() const {
  const std::size_t end = output.find_last_not_of('\n');
  if (end == output.npos) return {};
  const std::size_t begin = output.rfind('\n', end) + 1;
  return output.substr(begin, end + 1 - begin);
}

ProcessResult run_process(const std::vector<std::string>& arguments, const std::vector<std::string>& variables,
                          const ProcessLimits& limits, const std::vector<int>& files) {
  const std::string program = path_of(arguments[0]);
  if (program.empty()) return not_started(arguments[0], ENOENT);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return not_started("pipe", errno);
  base::Descriptor reading(ends[0]);
  base::Descriptor writing(ends[1]);
  if (::fcntl(reading.get(), F_SETFL, O_NONBLOCK) != 0) return not_started("fcntl", errno);
  base::ChildProcess child;
  if (const int error = child.start(
          {.path = program, .arguments = arguments, .variables = variables, .output = writing.get(), .files = files});
      error != 0)
    return not_started(arguments[0], error);

  writing.close();
  base::BoundedText output(limits.output);
  ProcessResult result;
  result.timed_out = !follow(child, reading, output, Clock::now() + limits.time);
  // end() returns nothing if the application, and not graft, has reaped the child. graft then cannot learn how the
  // child ended, and assumes that the child succeeded.
  const base::Ending ending = child.end().value_or(base::Ending{});
  drain(reading, output, kMostInPipe);
  result.output = std::move(output).text();
  result.ok = ending.signal == 0 && ending.exit_code == 0 && !result.timed_out;
  result.signal = ending.signal;
  result.exit_code = ending.exit_code;
  if (result.timed_out)
    result.output += base::format("{} took more than {:.3g} seconds and was killed\n", arguments[0],
                                  std::chrono::duration<double>(limits.time).count());
  else if (!result.ok) result.output += text_of(ending, arguments[0]);
  return result;
}

}  // namespace graft::toolchain
