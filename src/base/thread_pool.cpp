// A pool's threads belong to a Crew: the threads of one process and the queue that they share. After a fork, the child
// replaces the parent's crew, whose threads and locks are unusable there, by a new one.
#include "base/thread_pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace graft::base {

// The threads of one process, and the state that they share.
struct ThreadPool::Crew {
  const pid_t process = ::getpid();
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> jobs;
  std::vector<std::thread> threads;
  std::size_t idle = 0;
  Crew* next_lost = nullptr;
};

namespace {

// Keeps the parent's crew, which a forked child can neither use nor destroy: its mutex may be locked for ever, and the
// destructors of std::thread and std::condition_variable would wait for threads that the child does not have. The list
// exists for leak checkers: what it reaches is not a leak.
template <class Crew>
void keep_lost(Crew* crew) {
  static std::atomic<Crew*> newest{nullptr};
  crew->next_lost = newest.load();
  while (!newest.compare_exchange_weak(crew->next_lost, crew)) {
  }
}

// Called with the first job and not in the constructor: hardware_concurrency reads a file of the system, and most
// engines never run a job.
std::size_t most_or_all(std::size_t most) {
  return most != 0 ? most : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace

ThreadPool::ThreadPool(std::size_t most_threads) : most_(most_threads), crew_(new Crew) {}

ThreadPool::~ThreadPool() {
  finish();
  delete crew_.load();
}

// The crew of this process. In a forked child, the first call replaces the parent's crew by a new one.
ThreadPool::Crew& ThreadPool::crew() {
  Crew* crew = crew_.load();
  if (crew->process == ::getpid()) return *crew;
  auto own = std::make_unique<Crew>();
  if (!crew_.compare_exchange_strong(crew, own.get())) return *crew;  // another thread of this process was first
  keep_lost(crew);
  return *own.release();
}

void ThreadPool::run(const std::function<void()>& job) {
  Crew& mine = crew();
  if (!take(mine, job)) return job();
  mine.changed.notify_one();
}

// Queues the job. False when no thread would ever run it.
bool ThreadPool::take(Crew& crew, const std::function<void()>& job) {
  const std::lock_guard lock(crew.mutex);
  if (finishing_) return false;
  try {
    if (crew.jobs.size() >= crew.idle && crew.threads.size() < most_or_all(most_))
      crew.threads.emplace_back([this, &crew] { work(crew); });
  } catch (const std::system_error&) {  // no new thread can be started: the existing threads run the job
    if (crew.threads.empty()) return false;
  }
  crew.jobs.push_back(job);
  return true;
}

void ThreadPool::finish() {
  Crew& mine = crew();
  {
    const std::lock_guard lock(mine.mutex);
    finishing_ = true;
  }
  mine.changed.notify_all();
  for (std::thread& thread : mine.threads) thread.join();
  mine.threads.clear();
}

void ThreadPool::work(Crew& crew) {
  std::unique_lock lock(crew.mutex);
  while (true) {
    ++crew.idle;
    crew.changed.wait(lock, [&] { return finishing_ || !crew.jobs.empty(); });
    --crew.idle;
    if (crew.jobs.empty()) return;
    {
      const std::function<void()> job = std::move(crew.jobs.front());
      crew.jobs.pop_front();
      lock.unlock();
      job();
    }  // destroys the job and what it captured before this thread counts as idle
    lock.lock();
  }
}

}  // namespace graft::base
