// A program run without a shell, and its words.
#pragma once

#include <string>
#include <vector>

namespace graft::toolchain {

struct ProcessResult {
  bool ok = false;     // it ran and returned 0
  std::string output;  // standard output and error, in order; or why it did not run, or how it ended
};

// Runs arguments[0] (a path, or a name to be found in PATH), with `variables` ("TMPDIR=/x") set beside the
// environment's own, and waits for it. Its standard input is empty. Safe among threads and beside other children;
// nothing is left unreaped, whatever is thrown.
ProcessResult run_process(const std::vector<std::string>& arguments, const std::vector<std::string>& variables = {});

}  // namespace graft::toolchain
