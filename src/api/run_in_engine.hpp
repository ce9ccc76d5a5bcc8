// Runs a create function on a worker thread of an engine, for the context that is current in the calling thread.
#pragma once

#include <atomic>
#include <exception>
#include <future>
#include <memory>
#include <utility>

#include "base/cancellation.hpp"
#include "engine/engine_impl.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "graft/pending.hpp"
#include "launch/device.hpp"

namespace graft {

// The work of a create_async, which the job and all copies of the Pending share. Whoever calls settle() first, the job
// at its end or cancel(), sets the result.
template <class T>
struct PendingWork {
  std::promise<T> promise;
  std::atomic<bool> cancelled{false};
  std::atomic<bool> settled{false};

  bool settle() noexcept { return !settled.exchange(true); }

  bool cancel() {
    // Made first, because nothing may throw between settle() and set_exception.
    const std::exception_ptr error = std::make_exception_ptr(
        Error(ErrorCode::Cancelled, {.message = "the application cancelled this create_async",
                                     .remedy = "Call create_async again if the result is wanted after all.",
                                     .log = {},
                                     .versions = {}}));
    if (!settle()) return false;
    cancelled.store(true);
    promise.set_exception(error);
    return true;
  }

  // Calls `make`, which returns a T, in this thread.
  template <class Make>
  void run(CUcontext context, const Make& make) {
    try {
      const base::CancellableWork work(cancelled);
      base::throw_if_cancelled();
      const launch::BorrowedContext borrowed(context);
      T made = make();
      if (settle()) promise.set_value(std::move(made));
    } catch (...) {
      if (settle()) promise.set_exception(std::current_exception());
    }
  }
};

// Calls `prepare` in this thread, and the function that it returns, which makes a T, in a thread of the engine. The
// future has the errors of both.
template <class T, class Prepare>
Pending<T> run_in_engine(const std::shared_ptr<Engine::Impl>& engine, const Options& options, Prepare prepare) {
  const CUcontext context =
      options.routes.required == Route::Host || !options.devices.empty() ? nullptr : launch::context_of_this_thread();
  // A shared_ptr also because the job below is a std::function, which must be copyable, and a promise is not.
  auto work = std::make_shared<PendingWork<T>>();
  Pending<T> result(work->promise.get_future().share(), [work] { return work->cancel(); });
  try {
    engine->run([work, context, make = prepare()] { work->run(context, make); });
  } catch (const Error&) {
    if (work->settle()) work->promise.set_exception(std::current_exception());
  }
  return result;
}

}  // namespace graft
