// Several calls at the same time, for work of which the parts take long: several kernels of one request.
#pragma once

#include <cstddef>
#include <future>
#include <system_error>
#include <vector>

#include "base/cancellation.hpp"

namespace graft::base {

// Calls make(0) to make(count - 1), all but the first in threads of their own, and returns the results in this order.
// When calls throw, waits for all calls, and throws what the first of them threw. Where a thread cannot be started, the
// calling thread makes the call. If the calling thread's work can be cancelled, so can that of the others.
template <class Make>
auto results_in_parallel(std::size_t count, const Make& make) -> std::vector<decltype(make(std::size_t{0}))> {
  using Result = decltype(make(std::size_t{0}));
  const std::atomic<bool>* const cancelled = flag_of_this_thread();
  std::vector<std::future<Result>> others;
  for (std::size_t i = 1; i < count; ++i) {
    const auto call = [&make, cancelled, i] {
      const CancellableWork work(cancelled);
      return make(i);
    };
    try {
      others.push_back(std::async(std::launch::async, call));
    } catch (const std::system_error&) {
      others.push_back(std::async(std::launch::deferred, call));
    }
  }
  std::vector<Result> results;
  if (count > 0) results.push_back(make(0));
  for (std::future<Result>& other : others) results.push_back(other.get());
  return results;
}

}  // namespace graft::base
