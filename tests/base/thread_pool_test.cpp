// The pool: every job runs, no more than so many at a time, and none is lost at the end.
#include "base/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>

namespace graft::base {
namespace {

TEST(ThreadPool, RunsEveryJobBeforeItEnds) {
  std::atomic<int> done{0};
  {
    ThreadPool pool(3);
    for (int i = 0; i < 100; ++i)
      pool.run([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        ++done;
      });
  }
  EXPECT_EQ(done, 100);
}

TEST(ThreadPool, IsBounded) {
  std::atomic<int> running{0};
  std::atomic<int> most{0};
  {
    ThreadPool pool(4);
    for (int i = 0; i < 40; ++i)
      pool.run([&] {
        const int now = ++running;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --running;
      });
  }
  EXPECT_LE(most, 4);
  EXPECT_GT(most, 1);
}

TEST(ThreadPool, JobsRunAtTheSameTime) {
  std::latch all(3);
  ThreadPool pool(3);
  for (int i = 0; i < 3; ++i) pool.run([&] { all.arrive_and_wait(); });  // hangs where one waits for another's end
  pool.finish();
}

TEST(ThreadPool, LetsGoOfWhatAJobHolds) {
  const auto held = std::make_shared<int>(1);
  ThreadPool pool(1);
  pool.run([held] {});
  pool.finish();
  EXPECT_EQ(held.use_count(), 1);
}

TEST(ThreadPool, AfterTheEndTheCallerWorks) {
  ThreadPool pool(1);
  pool.finish();
  std::thread::id ran_in;
  pool.run([&] { ran_in = std::this_thread::get_id(); });
  EXPECT_EQ(ran_in, std::this_thread::get_id());
}

}  // namespace
}  // namespace graft::base
