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

// The threads of one process, and what they share.
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

// Keeps the crew of another process, which can be neither used nor destroyed: its mutex may be locked for ever, and the
// destructors of std::thread and std::condition_variable would wait for threads that this process does not have. The
// list is for leak checkers, which follow it.
template <class Crew>
void keep_lost(Crew* crew) {
  static std::atomic<Crew*> newest{nullptr};
  crew->next_lost = newest.load();
  while (!newest.compare_exchange_weak(crew->next_lost, crew)) {
  }
}

// Asked when the first job comes: the answer is a file of the system, and most engines run no job.
std::size_t most_or_all(std::size_t most) {
  return most != 0 ? most : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

}  // namespace

ThreadPool::ThreadPool(std::size_t most_threads) : most_(most_threads), crew_(new Crew) {}

ThreadPool::~ThreadPool() {
  finish();
  delete crew_.load();
}

// This process's crew: after a fork a new one takes the place of the parent's.
ThreadPool::Crew& ThreadPool::crew() {
  Crew* crew = crew_.load();
  if (crew->process == ::getpid()) return *crew;
  auto own = std::make_unique<Crew>();
  if (!crew_.compare_exchange_strong(crew, own.get())) return *crew;  // another thread's, of this process
  keep_lost(crew);
  return *own.release();
}

void ThreadPool::run(const std::function<void()>& job) {
  Crew& mine = crew();
  if (!take(mine, job)) return job();
  mine.changed.notify_one();
}

// False where nobody would ever do it.
bool ThreadPool::take(Crew& crew, const std::function<void()>& job) {
  const std::lock_guard lock(crew.mutex);
  if (finishing_) return false;
  try {
    if (crew.jobs.size() >= crew.idle && crew.threads.size() < most_or_all(most_))
      crew.threads.emplace_back([this, &crew] { work(crew); });
  } catch (const std::system_error&) {  // no thread is to be had: those that there are will do it
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
    }  // with all that it holds, before this thread says that it is idle
    lock.lock();
  }
}

}  // namespace graft::base
