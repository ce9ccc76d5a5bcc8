// Runs a create function on a worker thread of an engine, for the context that is current in the calling thread.
#pragma once

#include <exception>
#include <future>
#include <memory>
#include <utility>

#include "engine/engine_impl.hpp"
#include "graft/error.hpp"
#include "graft/options.hpp"
#include "launch/device.hpp"

namespace graft {

// Calls `prepare` in this thread, and the function that it returns, which makes a T, in a thread of the engine. The
// future has the errors of both.
template <class T, class Prepare>
std::shared_future<T> run_in_engine(const std::shared_ptr<Engine::Impl>& engine, const Options& options,
                                    Prepare prepare) {
  const CUcontext context =
      options.routes.required == Route::Host || !options.devices.empty() ? nullptr : launch::context_of_this_thread();
  // A shared_ptr holds the promise, because the job below is a std::function, which must be copyable, and a promise is
  // not copyable.
  auto promise = std::make_shared<std::promise<T>>();
  std::shared_future<T> result = promise->get_future().share();
  try {
    engine->run([promise, context, make = prepare()] {
      try {
        const launch::BorrowedContext borrowed(context);
        promise->set_value(make());
      } catch (...) {
        promise->set_exception(std::current_exception());
      }
    });
  } catch (const Error&) {
    promise->set_exception(std::current_exception());
  }
  return result;
}

}  // namespace graft
