// A child process that does one piece of work after another. It starts, and opens the compiler and the linker, once for
// many pieces. A crash fails only the piece of work that the child was doing: the next piece starts a new child.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace graft::cli {

// The parent's half. Use it from one thread, which must outlive it: the system kills the child when the thread that
// started it ends.
class Worker {
 public:
  // `words` are the arguments that make this program call serve(). The first question starts the child.
  explicit Worker(std::vector<std::string> words);
  ~Worker();
  Worker(const Worker&) = delete;  // one process, waited for once
  Worker& operator=(const Worker&) = delete;

  // Sends a question and waits for the answer. Throws Error(LinkFailed) if the child ends without an answer: the
  // message names the work (`what`) and the signal or exit code, the log is what the child printed. Throws
  // Error(SystemFailed) if no child can be started.
  base::Bytes ask(std::span<const std::byte> question, const std::string& what);

  // Ends the child. The next question starts a new one.
  void end() noexcept;

 private:
  struct Child;
  std::vector<std::string> words_;
  std::unique_ptr<Child> child_;
};

// The child's half: answers questions until the parent closes the connection.
void serve(const std::function<base::Bytes(std::span<const std::byte>)>& answer);

}  // namespace graft::cli
