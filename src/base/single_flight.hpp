// A map whose values are made once: the first to ask for a key makes its value, others who ask meanwhile wait for it. A
// failure reaches every waiter as an exception of its own with the same content, and leaves nothing behind, so that the
// next one tries again. (One exception object in many threads would be legal, but its references are counted inside
// the C++ run time, where no race detector sees them.)
#pragma once

#include <chrono>
#include <future>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace graft::base {

enum class Found { Made, Waited, Ready };

// Failure: the exception type that `make` throws, copied to each waiter. Any other reaches them as it is.
template <class Key, class Value, class Failure>
class SingleFlight {
 public:
  // `make` runs without a lock. Thread-safe.
  template <class Make>
  std::pair<Value, Found> find_or_make(const Key& key, Make make) {
    std::promise<Outcome> promise;
    std::shared_future<Outcome> result;
    {
      const std::lock_guard lock(mutex_);
      const auto [place, is_new] = values_.try_emplace(key);
      if (!is_new) result = place->second;
      else place->second = promise.get_future().share();
    }
    if (result.valid()) {
      const bool ready = result.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
      const Outcome& outcome = result.get();
      if (const Failure* failure = std::get_if<Failure>(&outcome)) throw Failure(*failure);
      return {std::get<Value>(outcome), ready ? Found::Ready : Found::Waited};
    }
    try {
      Value value = make();
      promise.set_value(value);
      return {std::move(value), Found::Made};
    } catch (const Failure& failure) {
      erase(key);  // before the waiters wake: who asks from now on makes it anew
      promise.set_value(failure);
      throw;
    } catch (...) {
      erase(key);
      promise.set_exception(std::current_exception());
      throw;
    }
  }

  // Removes the values for which `unwanted` holds, and returns them. Those still being made stay.
  template <class Unwanted>
  std::vector<Value> remove_if(Unwanted unwanted) {
    std::vector<Value> removed;
    const std::lock_guard lock(mutex_);
    for (auto place = values_.begin(); place != values_.end();) {
      const bool ready = place->second.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
      if (ready && unwanted(std::get<Value>(place->second.get()))) {
        removed.push_back(std::get<Value>(place->second.get()));
        place = values_.erase(place);
      } else {
        ++place;
      }
    }
    return removed;
  }

 private:
  using Outcome = std::variant<Value, Failure>;

  void erase(const Key& key) {
    const std::lock_guard lock(mutex_);
    values_.erase(key);
  }

  std::mutex mutex_;
  std::unordered_map<Key, std::shared_future<Outcome>> values_;
};

}  // namespace graft::base
