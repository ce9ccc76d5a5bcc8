#include "engine/build_slots.hpp"

#include <chrono>

#include "base/cancellation.hpp"

namespace graft::engine {
namespace {

// How long a thread waits before it looks whether its work was cancelled: a cancel wakes no waiting thread.
constexpr std::chrono::milliseconds kLookAgain{20};

}  // namespace

BuildSlots::Slot::Slot(BuildSlots& slots) : slots_(slots) {
  if (slots_.most_ == 0) return;
  std::unique_lock lock(slots_.mutex_);
  while (!slots_.freed_.wait_for(lock, kLookAgain, [&] { return slots_.taken_ < slots_.most_; }))
    base::throw_if_cancelled();
  ++slots_.taken_;
}

BuildSlots::Slot::~Slot() {
  if (slots_.most_ == 0) return;
  {
    const std::lock_guard lock(slots_.mutex_);
    --slots_.taken_;
  }
  slots_.freed_.notify_one();
}

}  // namespace graft::engine
