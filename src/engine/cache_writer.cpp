#include "engine/cache_writer.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <utility>

namespace graft::engine {
namespace {

std::atomic<CacheWriter*> newest_writer{nullptr};

// Whether this thread runs a job. A job may call the application's log, which may call graft or fork().
thread_local bool is_in_job = false;

}  // namespace

// The first call registers what fork() does. A forked child has neither the writer's thread nor its jobs: the
// parent's writer does them. The writer is never destroyed, because exit() may run while other threads use graft.
CacheWriter& CacheWriter::of_process() {
  static const bool is_registered = [] {
    newest_writer = new CacheWriter();
    ::pthread_atfork([] { newest_writer.load()->wait_for_all(); }, nullptr,
                     [] {
                       static CacheWriter* lost = nullptr;  // for leak checkers: a pointer reaches the parent's writer
                       lost = newest_writer.exchange(new CacheWriter());
                       static_cast<void>(lost);
                     });
    return true;
  }();
  static_cast<void>(is_registered);
  return *newest_writer.load();
}

void CacheWriter::finish_at_exit() {
  of_process();
  std::atexit([] { newest_writer.load()->finish(); });
}

void CacheWriter::run(const std::string& key, std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    queued_.insert(key);
  }
  thread_.run([this, key, owned = std::make_shared<std::function<void()>>(std::move(job))] {
    const bool was_in_job = std::exchange(is_in_job, true);
    (*owned)();
    *owned = nullptr;  // what the job refers to must not outlive the wait
    is_in_job = was_in_job;
    const std::lock_guard lock(mutex_);
    queued_.erase(queued_.find(key));
    changed_.notify_all();
  });
}

void CacheWriter::wait_for(const std::string& key) {
  if (is_in_job) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !queued_.contains(key); });
}

void CacheWriter::wait_for_all() {
  if (is_in_job) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return queued_.empty(); });
}

void CacheWriter::finish() {
  wait_for_all();
  if (!is_in_job) thread_.finish();
}

}  // namespace graft::engine
