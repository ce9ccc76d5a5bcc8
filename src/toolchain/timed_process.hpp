// Runs a program without a shell, waits for it, ends it after a limit of time, and returns its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace graft::toolchain {

struct ProcessLimits {
  std::chrono::milliseconds time = std::chrono::minutes(10);  // after this time the program is killed
  std::size_t output = std::size_t{4} << 20;  // in bytes; if there is more output, its middle is dropped
};

struct ProcessResult {
  bool ok = false;  // the program ran and returned 0
  // Standard output and standard error, interleaved. After a failure, the last line says how the program ended. If the
  // program could not be started, `output` is one line that says why.
  std::string output;
  bool timed_out = false;
  int start_error = 0;  // errno if the program could not be started, else 0
  int exit_code = 0;    // the program's exit code, or 0 if a signal ended it
  int signal = 0;       // the signal that ended the program, or 0

  // Whether the program could not be started because the system had no memory, process or open file for it.
  bool lacked_resources() const noexcept;
  // The last line of `output`, without the line end: after a failure, how the program ended.
  std::string last_line() const;
};

// Runs the program arguments[0] (a path, or a name that program_path.hpp finds in PATH) and waits until it ends. The
// program gets this process's environment (in a set-user-ID program, a fixed one), with `variables` ("TMPDIR=/x") added
// or replaced. Its standard input is /dev/null. The program inherits only the file descriptors `files`, which become
// its descriptors 3, 4 and so on.
//
// Thread-safe. Does not affect other children of this process. Always reaps the child, also when an exception is
// thrown. The program leads a process group of its own. When the program ends, the remaining processes of its group are
// killed. Throws base::Cancelled, after killing the child, if the work of this thread is cancelled.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::vector<std::string>& variables = {},
                          const ProcessLimits& limits = {}, const std::vector<int>& files = {});

}  // namespace graft::toolchain
