// Runs a program without a shell, waits for it, and returns its output.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace graft::toolchain {

struct ProcessLimits {
  std::chrono::milliseconds time = std::chrono::minutes(10);  // then the program is killed
  std::size_t output = std::size_t{4} << 20;                  // of longer output the middle is dropped
};

struct ProcessResult {
  bool ok = false;  // the program ran and returned 0
  // Standard output and standard error, interleaved. After a failure a last line says how the program ended; if it
  // could not be started, the only line says why.
  std::string output;
  bool timed_out = false;
  int start_error = 0;  // errno if the program could not be started, else 0
  int exit_code = 0;    // the program's exit code, or 0 if a signal ended it
  int signal = 0;       // the signal that ended the program, or 0
};

// Runs arguments[0] (a path, or a name that program_path.hpp finds in PATH) and waits for it. The program gets this
// process's environment, with `variables` ("TMPDIR=/x") added or replaced. Its standard input is /dev/null. Of this
// process's file descriptors it gets `files` only, as its descriptors 3, 4 and so on; each must have a higher number
// here than there. Thread-safe, and leaves other children of this process alone. The child is always reaped, also when
// an exception is thrown.
//
// The program leads a process group of its own. When it ends, the remaining processes of the group are killed.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::vector<std::string>& variables = {},
                          const ProcessLimits& limits = {}, const std::vector<int>& files = {});

}  // namespace graft::toolchain
