// A map whose values are made once: the first to ask for a key makes its value, others who ask meanwhile wait for it. A
// failure reaches every waiter as an exception of its own with the same content, and leaves nothing behind, so that the
// next one tries again. (One exception object in many threads would be legal, but its references are counted inside
// the C++ run time, where no race detector sees them.) A value that turns out to be for its maker alone leaves nothing
// behind either: of those who waited for it, one makes the next.
#pragma once

#include <unistd.h>

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace graft::base {

enum class Found { Made, Waited, Ready };

// Failure: the exception type that `make` throws, copied to each waiter. Any other reaches them as it is.
//
// Values are copied under the lock: what remove_if is shown, nobody is about to get a first copy of.
//
// In a child of fork, a value that a thread of the parent was making is made anew: that thread is not there.
template <class Key, class Value, class Failure>
class SingleFlight {
 public:
  // `make` runs without a lock. Thread-safe. A value for which `is_shared` is false goes to its maker alone.
  template <class Make>
  std::pair<Value, Found> find_or_make(const Key& key, Make make) {
    return find_or_make(key, make, [](const Value&) { return true; });
  }
  template <class Make, class IsShared>
  std::pair<Value, Found> find_or_make(const Key& key, Make make, IsShared is_shared) {
    std::unique_lock lock(mutex_);
    for (auto place = flights_.find(key); place != flights_.end() && !is_lost(*place->second);
         place = flights_.find(key))
      if (std::optional<std::pair<Value, Found>> found = wait_for(place->second, lock)) return std::move(*found);
    const auto flight = std::make_shared<Flight>();
    flights_.insert_or_assign(key, flight);
    lock.unlock();
    try {
      Value value = make();
      const bool is_for_all = is_shared(value);
      lock.lock();
      if (is_for_all) {
        flight->value = value;
        flight->landed.notify_all();
      } else {
        flight->is_given_up = true;
        let_go(key, *flight);
      }
      return {std::move(value), Found::Made};
    } catch (const Failure& failure) {
      lock.lock();
      flight->failure = failure;
      let_go(key, *flight);
      throw;
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      flight->other_failure = std::current_exception();
      let_go(key, *flight);
      throw;
    }
  }

  // Removes the values for which `unwanted` holds, and returns them. Those still being made or waited for stay.
  template <class Unwanted>
  std::vector<Value> remove_if(Unwanted unwanted) {
    std::vector<Value> removed;
    const std::lock_guard lock(mutex_);
    for (auto place = flights_.begin(); place != flights_.end();) {
      Flight& flight = *place->second;
      if (flight.value && flight.waiting == 0 && unwanted(*flight.value)) {
        removed.push_back(std::move(*flight.value));
        place = flights_.erase(place);
      } else {
        ++place;
      }
    }
    return removed;
  }

 private:
  struct Flight {
    const pid_t process = ::getpid();
    std::condition_variable landed;
    std::optional<Value> value;
    std::optional<Failure> failure;
    std::exception_ptr other_failure;
    bool is_given_up = false;  // its value was its maker's alone
    int waiting = 0;
  };

  // The parent's thread keeps its reference to the flight for ever: nothing waits for its waiters.
  static bool is_lost(const Flight& flight) { return !flight.value && flight.process != ::getpid(); }

  // Before the waiters wake: who asks from now on makes it anew.
  void let_go(const Key& key, Flight& flight) {
    flights_.erase(key);
    flight.landed.notify_all();
  }

  // By value: the map may let go of the flight meanwhile. Nothing where the flight was given up.
  static std::optional<std::pair<Value, Found>> wait_for(std::shared_ptr<Flight> flight,
                                                         std::unique_lock<std::mutex>& lock) {
    if (flight->value) return {{*flight->value, Found::Ready}};
    ++flight->waiting;
    flight->landed.wait(
        lock, [&] { return flight->value || flight->failure || flight->other_failure || flight->is_given_up; });
    --flight->waiting;
    if (flight->failure) throw Failure(*flight->failure);
    if (flight->other_failure) std::rethrow_exception(flight->other_failure);
    if (flight->is_given_up) return std::nullopt;
    return {{*flight->value, Found::Waited}};
  }

  std::mutex mutex_;
  std::unordered_map<Key, std::shared_ptr<Flight>> flights_;
};

}  // namespace graft::base
