// Bounds how many builds run in an engine at the same time (EngineOptions::max_builds).
#pragma once

#include <condition_variable>
#include <mutex>

namespace graft::engine {

class BuildSlots {
 public:
  // With `most` 0 there is no bound.
  explicit BuildSlots(unsigned most) noexcept : most_(most) {}

  // Holds a slot until it is destroyed.
  class Slot {
   public:
    // Waits until a slot is free. Throws base::Cancelled if the work of this thread is cancelled in the meantime.
    explicit Slot(BuildSlots& slots);
    ~Slot();
    Slot(const Slot&) = delete;  // not copyable: a slot is given back once
    Slot& operator=(const Slot&) = delete;

   private:
    BuildSlots& slots_;
  };

 private:
  const unsigned most_;
  std::mutex mutex_;
  std::condition_variable freed_;
  unsigned taken_ = 0;
};

}  // namespace graft::engine
