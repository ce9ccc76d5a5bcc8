// A pool's threads belong to a Crew, which consists of the threads of one process and the queue that they share. A
// forked child cannot use the threads and locks of its parent. So the child replaces the parent's crew by a new one.
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

// The threads of one process, and the state that these threads share.
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

// Keeps a pointer to the parent's crew. A forked child can neither use nor destroy that crew: its mutex may be locked
// for ever, and the destructors of std::thread and std::condition_variable would wait for threads that the child does
// not have. The list of pointers exists for leak checkers, which report only memory that no pointer reaches.
template <class Crew>
void keep_lost(Crew* crew) {
  static std::atomic<Crew*> newest{nullptr};
  crew->next_lost = newest.load();
  while (!newest.compare_exchange_weak(crew->next_lost, crew)) {
  }
}

// Returns the limit on the number of threads. Called when a job is queued and not in the constructor, because
// hardware_concurrency reads a system file, and the pools of most engines (graft::Engine) never run a job.
std::size_t most_or_all(std::size_t most) {
  return most != 0 ? most : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace

ThreadPool::ThreadPool(std::size_t most_threads) : most_(most_threads), crew_(new Crew) {}

ThreadPool::~ThreadPool() {
  finish();
  delete crew_.load();
}

// Returns the crew of this process. In a forked child, the first call replaces the parent's crew by a new one.
ThreadPool::Crew& ThreadPool::crew() {
  Crew* crew = crew_.load();
  if (crew->process == ::getpid()) return *crew;
  auto own = std::make_unique<Crew>();
  // The exchange fails if another thread of this process has already replaced the crew.
  if (!crew_.compare_exchange_strong(crew, own.get())) return *crew;
  keep_lost(crew);
  return *own.release();
}

void ThreadPool::run(const std::function<void()>& job) {
  Crew& mine = crew();
  if (!take(mine, job)) return job();
  mine.changed.notify_one();
}

// Queues the job. Returns false when no thread would ever run the job.
bool ThreadPool::take(Crew& crew, const std::function<void()>& job) {
  const std::lock_guard lock(crew.mutex);
  if (finishing_) return false;
  try {
    if (crew.jobs.size() >= crew.idle && crew.threads.size() < most_or_all(most_))
      crew.threads.emplace_back([this, &crew] { work(crew); });
    // std::thread throws if no new thread can be started. In this case, the existing threads run the job.
  } catch (const std::system_error&) {
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
    }  // This scope destroys the job, and what it captured, before the thread counts as idle.
    lock.lock();
  }
}

}  // namespace graft::base
