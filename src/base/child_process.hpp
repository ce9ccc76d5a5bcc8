// Starts a program as a child process, waits for its end, and ends what it leaves running.
//
// The child leads a process group of its own, so that one signal reaches the child and all processes that it has
// started. It inherits no open files but those that its parent names. posix_spawn starts it, which neither copies the
// parent's memory nor runs the parent's code in the child, so it is safe in a process with threads.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace graft::base {

// What to start. The program's standard input is empty, it blocks no signal, and it does not ignore the signals that
// applications ignore.
struct ChildProgram {
  std::string path;                         // is not searched in PATH
  std::vector<std::string> arguments;       // the first one is the program's name
  std::vector<std::string> variables = {};  // "TMPDIR=/x": added to this process's environment, or replaced there
  int output;                               // the program's standard output and standard error
  std::vector<int> files = {};              // the program's descriptors from 3 on, in their order
};

struct Ending {
  int signal = 0;     // the signal that ended the child, or 0
  int exit_code = 0;  // 0 if a signal ended the child
};

// "SIGSEGV", or "SIG?" for a signal that has no name.
std::string signal_name(int signal);

// Owns a child process. The destructor kills the child and its group, unless end() was called.
class ChildProcess {
 public:
  ChildProcess() = default;
  ~ChildProcess() { end(); }
  ChildProcess(const ChildProcess&) = delete;  // a child is reaped exactly once
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Starts the child. Returns 0, or an errno value if the program cannot be started. Call it once.
  int start(const ChildProgram& program);

  bool has_ended() noexcept;

  // Waits until the child has ended.
  void wait() noexcept;

  // Kills what is left of the group, reaps the child, and says how it ended. Returns nothing if there is no child, or
  // if something else has reaped it: the system, because the application ignores SIGCHLD, or a wait for any child.
  std::optional<Ending> end() noexcept;

 private:
  bool look(int options) noexcept;

  pid_t pid_ = -1;
  bool is_gone_ = false;
};

}  // namespace graft::base
