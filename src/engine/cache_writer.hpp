// Stores kernels on a thread of its own, because a kernel may have to be examined for some milliseconds before it is
// stored (Image::Data::objection_to_storing), and create() should not wait for that.
//
// The examination links a kernel with nvJitLink. A fork, or the end of the process, in the middle of it would leave
// nvJitLink's locks locked, or destroy its variables. So fork() and exit() wait for the jobs that are queued.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/thread_pool.hpp"

namespace graft::engine {

// Thread-safe. The jobs of all engines run on one thread, in the order in which run() got them.
class CacheWriter {
 public:
  // Returns the writer of this process. After a fork, the child has a writer of its own.
  static CacheWriter& of_process();

  CacheWriter(const CacheWriter&) = delete;
  CacheWriter& operator=(const CacheWriter&) = delete;

  // Makes exit() wait for the queued jobs. exit() calls what was registered last first, also the destructors of
  // variables. So call this whenever the jobs may use variables that did not exist at the last call: exit() then
  // destroys these variables after the jobs.
  static void finish_at_exit();

  // Queues the job. A job must not throw. `key` names the kernel that the job stores, for wait_for().
  void run(const std::string& key, std::function<void()> job);

  // Waits until no job of this key is queued. A search of the disk for the key then finds what the job has stored.
  void wait_for(const std::string& key);

  // Waits until no job is queued. Does not wait when a job calls it.
  void wait_for_all();

 private:
  CacheWriter() = default;
  void finish();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multiset<std::string> queued_;
  base::ThreadPool thread_{1};
};

}  // namespace graft::engine
