// A program run without a shell, and its words.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace graft::toolchain {

struct ProcessLimits {
  std::chrono::milliseconds time = std::chrono::minutes(10);  // afterwards it is killed
  std::size_t output = std::size_t{4} << 20;                  // of more, the middle is left out
};

struct ProcessResult {
  bool ok = false;     // it ran and returned 0
  std::string output;  // standard output and error, in order; or why it did not run, or how it ended
  bool timed_out = false;
  int start_error = 0;  // the errno of starting it, where that failed
  int exit_code = 0;    // that it returned, or
  int signal = 0;       // that ended it
};

// Runs arguments[0] (a path, or a name to be found in PATH: program_path.hpp), with `variables` ("TMPDIR=/x") set
// beside the environment's own, and waits for it. Its standard input is empty, and of this process's files it has
// `files` alone, as its 3, 4, and so on; their numbers here must be higher than those. Safe among threads and beside
// other children; nothing is left unreaped, whatever is thrown.
//
// It leads a process group of its own. Processes of that group which outlive it are killed, and not waited for.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::vector<std::string>& variables = {},
                          const ProcessLimits& limits = {}, const std::vector<int>& files = {});

}  // namespace graft::toolchain
