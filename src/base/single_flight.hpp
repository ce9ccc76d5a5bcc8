// SingleFlight is a map that makes each value once. The first thread that requests a key makes the value, and threads
// that request the same key in the meantime wait for the value.
//
// If making the value fails, the exception is thrown in the first thread and in every waiting thread. Nothing is
// stored, so the next call tries again. Each waiting thread gets its own copy of an exception of the type Failure.
// Sharing one exception object between threads, as SingleFlight does for exceptions of other types, is legal. But the
// C++ runtime counts the references to a shared exception with operations that race detectors do not see, so they would
// report a race that does not exist.
//
// A value may be meant only for the thread that made it (`is_shared` returns false). Such a value is not stored either,
// and one of the waiting threads makes the next value. The same happens when the work of the first thread is cancelled
// (cancellation.hpp).
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

#include "base/cancellation.hpp"

namespace graft::base {

// How find_or_make got the value: this thread made it, waited until another thread had made it, or found it in the map.
enum class Found { Made, Waited, Ready };

// Failure is the exception type of which each waiting thread gets its own copy. Exceptions of other types are shared.
//
// find_or_make copies a value before it releases the lock. So if Value is a shared_ptr and remove_if sees a use_count
// of 1, no thread uses the object.
//
// A process may fork while a thread makes a value. The child process makes this value again, because the thread exists
// only in the parent process.
template <class Key, class Value, class Failure>
class SingleFlight {
 public:
  // Returns the value of `key`. If the map has no value for the key, calls `make`, without holding the lock. A value
  // for which `is_shared` returns false is returned only to the thread that made it. Thread-safe.
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
    } catch (const Cancelled&) {
      lock.lock();
      flight->is_given_up = true;
      let_go(key, *flight);
      throw;
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

  // Removes and returns the values for which `unwanted` returns true. Keeps values that a thread is making or waiting
  // for.
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
  // A value that is in the map, or that a thread is making.
  struct Flight {
    const pid_t process = ::getpid();
    std::condition_variable landed;
    std::optional<Value> value;
    std::optional<Failure> failure;
    std::exception_ptr other_failure;
    // True when the value is meant only for the thread that made it.
    bool is_given_up = false;
    int waiting = 0;  // the number of threads that wait for the value
  };

  // Returns true in a forked child for a flight whose thread exists only in the parent. The child may erase such a
  // flight from the map, although the destructor of the flight's condition variable could wait forever for the parent's
  // threads. The destructor does not run: the waiting threads hold shared pointers to the flight, the fork copied the
  // reference count that includes these pointers, and no thread of the child ever releases them.
  static bool is_lost(const Flight& flight) { return !flight.value && flight.process != ::getpid(); }

  // Erases the flight before the waiting threads wake up, so that a thread that requests the key later makes the value
  // again.
  void let_go(const Key& key, Flight& flight) {
    flights_.erase(key);
    flight.landed.notify_all();
  }

  // The parameter `flight` is a copy of the pointer, because the map may erase its own pointer while this thread waits.
  // Returns nothing when the value is meant only for the thread that made it.
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
