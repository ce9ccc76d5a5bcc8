// A child that does one piece of work after another, so that starting a process, and opening the compiler and the
// linker, is paid for once and not for each piece. A crash ends the piece that it was at, and no other: the next one
// gets a new child.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace graft::cli {

// The parent's half. Used by one thread, which must live as long as it does: the child ends with the thread that
// started it.
class Worker {
 public:
  // `words` make this program serve (below). The child starts with the first question.
  explicit Worker(std::vector<std::string> words);
  ~Worker();
  Worker(const Worker&) = delete;  // one process, waited for once
  Worker& operator=(const Worker&) = delete;

  // Waits for the answer. A child that ends without one is an Error(LinkFailed), which names the signal or exit code
  // and, by `what`, the work, and has what the child printed as its log. Throws Error(SystemFailed) where no child can
  // be started.
  base::Bytes ask(std::span<const std::byte> question, const std::string& what);

  // Ends the child; the next question starts another.
  void end() noexcept;

 private:
  struct Child;
  std::vector<std::string> words_;
  std::unique_ptr<Child> child_;
};

// The child's half: answers questions until there are no more.
void serve(const std::function<base::Bytes(std::span<const std::byte>)>& answer);

}  // namespace graft::cli
