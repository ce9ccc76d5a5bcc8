// A Pending is the result of a create_async: a std::shared_future that can be cancelled.
//
//     graft::Pending<graft::Transform> gain = graft::Transform::create_async(callback);
//     ...
//     gain.cancel();     // the user has typed another formula
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <utility>

#include <graft/export.hpp>

namespace graft {

// Throws Error(InvalidArgument): a Pending without work was asked for its result.
[[noreturn]] GRAFT_API void refuse_pending_without_work();

// Copies refer to the same work. Different threads may use different copies, as with std::shared_future. The future
// alone can be kept as a std::shared_future<T>. Destroying all copies does not cancel the work.
//
// A Pending has no work if its default constructor made it, or after it was moved from: valid() is false, cancel()
// returns false, and get() and the functions that wait throw Error(InvalidArgument).
template <class T>
class Pending : public std::shared_future<T> {
 public:
  Pending() = default;
  Pending(std::shared_future<T> future, std::function<bool()> cancel)
      : std::shared_future<T>(std::move(future)), cancel_(std::move(cancel)) {}

  // Gives the work up, for all copies. The future becomes ready at once: get() throws Error(Cancelled) in every thread
  // that waits. Returns true, or false if the future was ready before, which then keeps its result.
  //
  // Work that has not begun never begins. Work that has begun ends before its next step, such as the link after the
  // compile: NVIDIA's compiler and linker cannot be interrupted in this process. Until then it occupies its thread of
  // the engine, and ~Engine waits for it. Programs that graft runs, the child of the closed mode (Options::closed) and
  // the host compiler, are killed within about 20 ms. Other requests for the same kernel are not cancelled; one of them
  // makes the kernel.
  bool cancel() const { return this->valid() && cancel_ && cancel_(); }

  // As those of std::shared_future.
  decltype(auto) get() const { return with_work().get(); }
  void wait() const { with_work().wait(); }
  template <class Rep, class Period>
  std::future_status wait_for(const std::chrono::duration<Rep, Period>& time) const {
    return with_work().wait_for(time);
  }
  template <class Clock, class Duration>
  std::future_status wait_until(const std::chrono::time_point<Clock, Duration>& time) const {
    return with_work().wait_until(time);
  }

 private:
  const std::shared_future<T>& with_work() const {
    if (!this->valid()) refuse_pending_without_work();
    return *this;
  }

  std::function<bool()> cancel_;
};

}  // namespace graft
