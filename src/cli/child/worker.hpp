// A Worker is a child process that does one piece of work after another. The parent sends each piece of work as a
// message, the question, and receives the result as a message, the answer. The child starts, and opens the compiler and
// the linker, once for many questions. A crash fails only the question on which the child was working; for the next
// question the Worker starts a new child.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace graft::cli {

// The parent owns a Worker. Use the Worker from one thread only, and let this thread outlive the Worker, because the
// system kills the child when the thread that started it ends.
class Worker {
 public:
  // `words` are the arguments that make this program call serve(). The first question starts the child.
  explicit Worker(std::vector<std::string> words);
  ~Worker();
  Worker(const Worker&) = delete;  // not copyable: it waits for its process exactly once
  Worker& operator=(const Worker&) = delete;

  // Sends a question and waits for the answer. Throws Error(LinkFailed) if the child ends without an answer. The
  // Error's message names the work (`what`) and the signal or exit code, and the Error's log is what the child printed.
  // Throws Error(SystemFailed) if no child can be started.
  base::Bytes ask(std::span<const std::byte> question, const std::string& what);

  // Ends the child. The next question starts a new one.
  void end() noexcept;

 private:
  struct Child;
  std::vector<std::string> words_;
  std::unique_ptr<Child> child_;
};

// Runs in the child: calls `answer` with each question and sends the result, until the parent closes the connection.
void serve(const std::function<base::Bytes(std::span<const std::byte>)>& answer);

}  // namespace graft::cli
