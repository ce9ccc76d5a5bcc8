#include "base/thread_pool.hpp"

#include <system_error>
#include <utility>

namespace graft::base {

void ThreadPool::run(const std::function<void()>& job) {
  if (!take(job)) return job();
  changed_.notify_one();
}

// False where nobody would ever do it.
bool ThreadPool::take(const std::function<void()>& job) {
  const std::lock_guard lock(mutex_);
  if (finishing_) return false;
  try {
    if (jobs_.size() >= idle_ && threads_.size() < most_) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {  // no thread is to be had: those that there are will do it
    if (threads_.empty()) return false;
  }
  jobs_.push_back(job);
  return true;
}

void ThreadPool::finish() {
  {
    const std::lock_guard lock(mutex_);
    finishing_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void ThreadPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return finishing_ || !jobs_.empty(); });
    --idle_;
    if (jobs_.empty()) return;
    {
      const std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();
    }  // with all that it holds, before this thread says that it is idle
    lock.lock();
  }
}

}  // namespace graft::base
