// This program, started once more with other words: what the children of child.hpp and worker.hpp have in common.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace graft::cli {

// An open file. Move-only, because a second owner would close another's file.
class Descriptor {
 public:
  Descriptor() = default;
  // Takes the file over, under a number of 5 or more: a lower one could be overwritten by the child's own 1, 2 and 3
  // before it is copied there. Throws Error(SystemFailed); `what` names the call that gave -1.
  Descriptor(int fd, const char* what);
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const noexcept { return fd_; }
  void close() noexcept;

 private:
  int fd_ = -1;
};

// A file without a name. It never fills up as a pipe does, so that the parent only has to wait.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name);  // throws Error(SystemFailed)
  int fd() const noexcept { return file_.get(); }
  base::Bytes content() const;
  void clear() const;  // what is written afterwards, stands at its beginning

 private:
  Descriptor file_;
};

// Where a child finds the file that connects it with its parent.
inline constexpr int kParentFile = 3;

// Starts this program with `words` behind its name, without input, all that it prints going to `log`. It has no other
// files of this process, and leads a process group of its own. Throws Error(SystemFailed).
pid_t start_child(const std::vector<std::string>& words, int parent_file, const MemoryFile& log);

// For a child: ends with the thread that started it, since nobody would read what comes out.
void end_with_parent();

struct Ending {
  int signal = 0;  // that ended it; 0: it ended by itself
  int exit_code = 0;
};
// Waits for the child, and ends what is left of its group.
Ending wait_for(pid_t child);

}  // namespace graft::cli
