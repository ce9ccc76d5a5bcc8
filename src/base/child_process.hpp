// A ChildProcess starts a program as a child process, waits until the child ends, and kills the processes that the
// child leaves running. It knows no limit of time: toolchain/timed_process.hpp runs programs that have one.
//
// The child leads a process group of its own, so that one signal reaches the child and all processes that it has
// started. The child inherits only the open files that its parent names. The child is started by posix_spawn and not by
// fork: posix_spawn neither copies the parent's memory nor runs the parent's code in the child, so it is safe in a
// parent that has several threads.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace graft::base {

// Describes the program to start. The program's standard input is empty. The program blocks no signal, and handles
// SIGPIPE, SIGCHLD and SIGXFSZ in the default way even if the application ignores them.
struct ChildProgram {
  std::string path;                    // the program's file; PATH is not searched
  std::vector<std::string> arguments;  // the first one is the program's name
  // "TMPDIR=/x": added to, or replaced in, this process's environment. In a set-user-ID program, whose environment
  // another user chooses, the child gets only these variables and PATH=/usr/bin:/bin.
  std::vector<std::string> variables = {};
  int output;                   // a descriptor, which becomes the program's standard output and error
  std::vector<int> files = {};  // descriptors, which become the program's descriptors 3, 4 and so on
};

// How a child process ended.
struct Ending {
  int signal = 0;     // the signal that ended the child, or 0
  int exit_code = 0;  // 0 if a signal ended the child
};

// Returns the name of a signal, for example "SIGSEGV". Returns "SIG?" for a signal that has no name.
std::string signal_name(int signal);

// Owns a child process. The destructor kills the child and its group, unless end() was called.
class ChildProcess {
 public:
  ChildProcess() = default;
  ~ChildProcess() { end(); }
  ChildProcess(const ChildProcess&) = delete;  // not copyable: a child is reaped exactly once
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Starts the child. Returns 0, or an errno value if the program cannot be started. Call start() once.
  int start(const ChildProgram& program);

  bool has_ended() noexcept;

  // Waits until the child has ended.
  void wait() noexcept;

  // Kills the processes that are left in the child's group, reaps the child, and returns how the child ended. Returns
  // nothing if there is no child, or if the child was already reaped by someone else: by the system, which does so if
  // the application ignores SIGCHLD, or by a call of wait(2) in the application, which waits for any child.
  std::optional<Ending> end() noexcept;

 private:
  bool look(int options) noexcept;

  pid_t pid_ = -1;
  bool is_gone_ = false;  // the child was reaped by the system or by the application
};

}  // namespace graft::base
