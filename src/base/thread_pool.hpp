// Jobs for a bounded number of threads, which start when there is work for them. A child of fork has none of its
// parent's threads; there the pool starts anew.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace graft::base {

// Thread-safe. Jobs run in the order in which they came, and must not throw.
class ThreadPool {
 public:
  // 0: as many threads as the machine runs at once.
  explicit ThreadPool(std::size_t most_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;  // its threads refer to it
  ThreadPool& operator=(const ThreadPool&) = delete;

  // After finish, the job runs at once, in the caller's thread.
  void run(const std::function<void()>& job);

  // Runs what is left and ends the threads. Not to be called by a job. Jobs that were given before a fork are the
  // parent's: the child neither runs nor waits for them.
  void finish();

 private:
  struct Crew;

  Crew& crew();
  bool take(Crew& crew, const std::function<void()>& job);
  void work(Crew& crew);

  const std::size_t most_;
  std::atomic<bool> finishing_{false};  // written under the crew's mutex
  std::atomic<Crew*> crew_;
};

}  // namespace graft::base
