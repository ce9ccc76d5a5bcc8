// Tests that ThreadPool runs every job, runs at most the given number of jobs at a time, and finishes all jobs before
// it ends.
#include "base/thread_pool.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

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
  for (int i = 0; i < 3; ++i) pool.run([&] { all.arrive_and_wait(); });  // hangs if jobs run one after the other
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

// ---- the pool after fork() ----

// Runs `body` in a forked child. Returns 0 if `body` returned true. A child that hangs is killed.
int status_in_child(const std::function<bool()>& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

bool runs_a_job(ThreadPool& pool) {
  std::latch ran(1);
  std::thread::id where;
  pool.run([&] {
    where = std::this_thread::get_id();
    ran.count_down();
  });
  ran.wait();
  return where != std::this_thread::get_id();
}

TEST(ThreadPoolFork, AChildHasThreadsOfItsOwn) {
  auto pool = std::make_unique<ThreadPool>(1);
  EXPECT_TRUE(runs_a_job(*pool));
  EXPECT_EQ(status_in_child([&] {
              const bool first = runs_a_job(*pool);
              const bool second = runs_a_job(*pool);
              pool.reset();
              return first && second;
            }),
            0);
  EXPECT_EQ(status_in_child([&] {
              pool.reset();
              return true;
            }),
            0);
  EXPECT_TRUE(runs_a_job(*pool)) << "the parent's pool must still work";
}

// After fork(), the child finds the pool of its parent, whose threads do not exist in the child. Two threads of the
// child that notice this at the same time must create one new set of pool threads.
TEST(ThreadPoolFork, ThreadsOfAChildShareOneCrew) {
  ThreadPool pool(1);
  EXPECT_TRUE(runs_a_job(pool));
  EXPECT_EQ(status_in_child([&] {
              std::atomic<int> done{0};
              std::latch start(8);
              std::vector<std::jthread> threads;
              for (int i = 0; i < 8; ++i)
                threads.emplace_back([&] {
                  start.arrive_and_wait();
                  for (int job = 0; job < 100; ++job) pool.run([&] { ++done; });
                });
              threads.clear();
              pool.finish();
              return done == 800;
            }),
            0);
}

TEST(ThreadPoolFork, QueuedJobsStayTheParents) {
  std::atomic<int> done{0};
  std::latch running(1);
  std::latch go(1);
  ThreadPool pool(1);
  pool.run([&] {
    running.count_down();
    go.wait();
    ++done;
  });
  pool.run([&] { ++done; });
  running.wait();
  EXPECT_EQ(status_in_child([&] {
              const bool ran = runs_a_job(pool);
              pool.finish();
              return ran && done == 0;
            }),
            0);
  go.count_down();
  pool.finish();
  EXPECT_EQ(done, 2);
}

TEST(ThreadPoolFork, AfterTheEndTheCallerWorksInAChildToo) {
  ThreadPool pool(1);
  EXPECT_TRUE(runs_a_job(pool));
  pool.finish();
  EXPECT_EQ(status_in_child([&] { return !runs_a_job(pool); }), 0);
}

}  // namespace
}  // namespace graft::base
