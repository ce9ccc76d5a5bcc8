// Jobs for a bounded number of threads, which start when there is work for them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace graft::base {

// Thread-safe. Jobs run in the order in which they came, and must not throw.
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t most_threads) : most_(most_threads == 0 ? 1 : most_threads) {}
  ~ThreadPool() { finish(); }
  ThreadPool(const ThreadPool&) = delete;  // its threads refer to it
  ThreadPool& operator=(const ThreadPool&) = delete;

  // After finish, the job runs at once, in the caller's thread.
  void run(const std::function<void()>& job);

  // Runs what is left and ends the threads. Not to be called by a job.
  void finish();

  std::size_t most_threads() const noexcept { return most_; }

 private:
  bool take(const std::function<void()>& job);
  void work();

  const std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool finishing_ = false;
};

}  // namespace graft::base
