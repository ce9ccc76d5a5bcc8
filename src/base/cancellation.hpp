// Lets a thread give up the work that another thread does for it. The working thread borrows a flag for the duration of
// the work, and asks between two steps whether the flag is set. The flag belongs to a thread and not to a request, so
// that the functions in between need no parameter for it.
//
//     const CancellableWork work(flag);      // in the working thread
//     compile(); throw_if_cancelled(); link();
//     flag.store(true);                      // in any thread
#pragma once

#include <atomic>
#include <exception>

namespace graft::base {

// Thrown by throw_if_cancelled. Not a graft::Error, so that code that handles the errors of a step, or tries another
// way after one, does not handle it. The function that began the work catches it.
class Cancelled : public std::exception {
 public:
  const char* what() const noexcept override { return "the work was cancelled"; }
};

// Makes `flag` the flag of this thread until the object is destroyed. The flag must outlive the object.
class CancellableWork {
 public:
  explicit CancellableWork(const std::atomic<bool>& flag) noexcept : CancellableWork(&flag) {}
  // Null: the work cannot be cancelled.
  explicit CancellableWork(const std::atomic<bool>* flag) noexcept;
  ~CancellableWork();
  CancellableWork(const CancellableWork&) = delete;  // not copyable: it restores the thread's previous flag once
  CancellableWork& operator=(const CancellableWork&) = delete;

 private:
  const std::atomic<bool>* const before_;
};

// Returns the flag, or null. A thread that works for this one can borrow it too.
const std::atomic<bool>* flag_of_this_thread() noexcept;

// Throws Cancelled if this thread has a flag and the flag is set.
void throw_if_cancelled();

}  // namespace graft::base
