#include "base/cancellation.hpp"

#include <utility>

namespace graft::base {
namespace {

thread_local const std::atomic<bool>* current_flag = nullptr;

}  // namespace

CancellableWork::CancellableWork(const std::atomic<bool>* flag) noexcept : before_(std::exchange(current_flag, flag)) {}

CancellableWork::~CancellableWork() {
  current_flag = before_;
}

const std::atomic<bool>* flag_of_this_thread() noexcept {
  return current_flag;
}

void throw_if_cancelled() {
  if (current_flag != nullptr && current_flag->load(std::memory_order_relaxed)) throw Cancelled();
}

}  // namespace graft::base
