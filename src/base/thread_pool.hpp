// Runs jobs on a bounded number of threads, which start when there is work. A forked child has none of its parent's
// threads, so the pool starts there with new threads and an empty queue.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace graft::base {

// Thread-safe. Jobs start in the order in which they were given, and must not throw.
class ThreadPool {
 public:
  // 0: std::thread::hardware_concurrency().
  explicit ThreadPool(std::size_t most_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;  // the threads hold a pointer to the pool
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Queues the job. After finish(), or when no thread can be started, the job runs in the calling thread instead.
  void run(const std::function<void()>& job);

  // Waits until all queued jobs have run, and ends the threads. A job must not call it: a thread cannot join itself.
  // Jobs that were given before a fork belong to the parent: the child neither runs nor waits for them.
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
