// Starts this program again as a child process with other arguments, and waits for its end. child.hpp and worker.hpp
// use this file.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/descriptor.hpp"

namespace graft::cli {

// Returns the descriptor `fd`, moved to a number of 5 or more. start_child copies descriptors to the child's 1, 2 and
// 3; a descriptor with such a number would be overwritten before it is copied. `what` names the call that returned
// `fd`. Throws Error(SystemFailed) if `fd` is -1.
base::Descriptor own(int fd, const char* what);

// A file in memory, without a name. A child that writes to this file never blocks, unlike a child that writes to a full
// pipe, so the parent need not read while it waits.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name);  // throws Error(SystemFailed)
  int fd() const noexcept { return file_.get(); }
  base::Bytes content() const;
  void clear() const;  // empties the file; the next write starts at its beginning

 private:
  base::Descriptor file_;
};

// The descriptor in the child of the socket that connects it to its parent.
inline constexpr int kParentFile = 3;

// Starts this program with `words` as arguments. The child's standard input is empty, its standard output and standard
// error go to `log`, and kParentFile is a copy of `parent_file`; the child inherits no other descriptor. The child
// leads a process group of its own. Throws Error(SystemFailed).
pid_t start_child(const std::vector<std::string>& words, int parent_file, const MemoryFile& log);

// Called by a child. Arranges that the system kills the child when the parent's thread that started it ends, because
// then no one would read the child's answer.
void end_with_parent();

struct Ending {
  int signal = 0;  // the signal that killed the child; 0 if the child exited
  int exit_code = 0;
};
// Waits for the child to end, and kills all other processes of its group.
Ending wait_for(pid_t child);

}  // namespace graft::cli
