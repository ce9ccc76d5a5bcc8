// A map that makes each value once: the first thread that asks for a key makes the value, and threads that ask
// meanwhile wait for it.
//
// A failure is thrown in every waiting thread and is not stored, so that the next call tries again. Each waiter gets
// its own copy of the exception: sharing one exception object between threads would be legal, but the C++ runtime
// counts its references where no race detector sees them.
//
// A value can turn out to be for the thread that made it alone (`is_shared` returns false). Such a value is not stored
// either, and one of the waiting threads makes the next value.
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

// Failure: the exception type of which each waiter gets its own copy. Exceptions of other types are shared.
//
// Values are copied under the lock, so no thread is between finding a value and copying it while remove_if looks at it:
// a shared_ptr with a use_count of 1 there is used by nobody.
//
// In a forked child, a value that a thread of the parent was making is made again, because the child does not have that
// thread.
template <class Key, class Value, class Failure>
class SingleFlight {
 public:
  // Returns the value of `key`, which `make` makes if there is none. `make` runs without the lock. Thread-safe. A value
  // for which `is_shared` returns false is returned to the thread that made it, and to no other.
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

  // Removes and returns the values for which `unwanted` is true. Values that are being made or waited for stay.
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
    bool is_given_up = false;  // the value was for the thread that made it alone
    int waiting = 0;
  };

  // True in a forked child for a flight that the parent's thread will never finish here. The child may drop the map's
  // reference: the parent's thread still holds one, so the condition variable is never destroyed with waiters.
  static bool is_lost(const Flight& flight) { return !flight.value && flight.process != ::getpid(); }

  // Erases the flight before the waiters wake, so that a thread that asks from now on makes the value again.
  void let_go(const Key& key, Flight& flight) {
    flights_.erase(key);
    flight.landed.notify_all();
  }

  // Takes the flight by value, because the map may erase it meanwhile. Returns nothing when the flight was given up.
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
