#include "base/cancellation.hpp"

#include <utility>

namespace graft::base {
namespace {

thread_local const std::atomic<bool>* flag_of_this_thread = nullptr;

}  // namespace

CancellableWork::CancellableWork(const std::atomic<bool>& flag) noexcept
    : before_(std::exchange(flag_of_this_thread, &flag)) {}

CancellableWork::~CancellableWork() {
  flag_of_this_thread = before_;
}

void throw_if_cancelled() {
  if (flag_of_this_thread != nullptr && flag_of_this_thread->load(std::memory_order_relaxed)) throw Cancelled();
}

}  // namespace graft::base
