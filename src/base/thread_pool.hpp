// A ThreadPool runs jobs on a limited number of threads, which it starts when there are jobs. A forked child process
// has none of its parent's threads, so in the child the pool begins with new threads and an empty queue.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace graft::base {

// Thread-safe. Jobs start in the order in which run() got them. A job must not throw.
class ThreadPool {
 public:
  // With `most_threads` 0, the limit is std::thread::hardware_concurrency().
  explicit ThreadPool(std::size_t most_threads);
  ~ThreadPool();
  // Not copyable, because the threads hold a pointer to the pool.
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Queues the job. After finish(), and when no thread can be started, runs the job in the calling thread instead.
  void run(const std::function<void()>& job);

  // Waits until all queued jobs have run, and then ends the threads. A job must not call finish(), because a thread
  // cannot join itself. Jobs that were queued before a fork belong to the parent: the child neither runs them nor waits
  // for them.
  void finish();

 private:
  struct Crew;

  Crew& crew();
  bool take(Crew& crew, const std::function<void()>& job);
  void work(Crew& crew);

  const std::size_t most_;
  // Written only while the crew's mutex is locked.
  std::atomic<bool> finishing_{false};
  std::atomic<Crew*> crew_;
};

}  // namespace graft::base
