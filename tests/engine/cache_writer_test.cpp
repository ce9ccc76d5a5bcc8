// Tests the thread that stores kernels: what waits for it, and what it does when the process forks or ends.
#include "engine/cache_writer.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

namespace graft::engine {
namespace {

void sleep_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

TEST(CacheWriter, RunsJobsInTheirOrderAndOnAnotherThread) {
  CacheWriter& writer = CacheWriter::of_process();
  std::vector<int> order;
  std::thread::id thread;
  for (int i = 0; i < 20; ++i)
    writer.run("key", [&, i] {
      thread = std::this_thread::get_id();
      order.push_back(i);
    });
  writer.wait_for_all();
  ASSERT_EQ(order.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST(CacheWriter, WaitsForTheJobsOfOneKey) {
  CacheWriter& writer = CacheWriter::of_process();
  std::atomic<int> done{0};
  const auto job = [&] {
    sleep_a_little();
    ++done;
  };
  writer.run("a", job);
  writer.run("a", job);
  writer.wait_for("b");
  EXPECT_LT(done, 2);
  writer.wait_for("a");
  EXPECT_EQ(done, 2);
}

// What a job refers to may be destroyed after the wait.
TEST(CacheWriter, ForgetsAJobBeforeTheWaitEnds) {
  CacheWriter& writer = CacheWriter::of_process();
  const auto owned = std::make_shared<int>(1);
  for (int i = 0; i < 50; ++i) {
    writer.run("key", [owned] {});
    writer.wait_for("key");
    EXPECT_EQ(owned.use_count(), 1);
  }
}

TEST(CacheWriter, AJobThatWaitsDoesNotHang) {
  CacheWriter& writer = CacheWriter::of_process();
  bool is_done = false;
  writer.run("key", [&] {
    writer.wait_for("key");
    writer.wait_for_all();
    is_done = true;
  });
  writer.wait_for_all();
  EXPECT_TRUE(is_done);
}

TEST(CacheWriter, AForkWaitsForTheJobsAndTheChildCanWrite) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer supports no threads in the child of a process with threads";
#endif
  std::atomic<bool> is_done{false};
  CacheWriter::of_process().run("key", [&] {
    sleep_a_little();
    is_done = true;
  });
  const pid_t child = fork();
  if (child == 0) {
    bool is_done_in_child = false;
    CacheWriter::of_process().run("key", [&] { is_done_in_child = true; });
    CacheWriter::of_process().wait_for("key");
    _exit(is_done && is_done_in_child ? 0 : 1);
  }
  EXPECT_TRUE(is_done);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// The parent sees the line that the job writes after the child has called exit().
TEST(CacheWriter, TheEndOfTheProcessWaitsForTheJobs) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    CacheWriter::of_process().run("key", [&] {
      sleep_a_little();
      if (write(ends[1], "x", 1) != 1) _exit(1);
    });
    CacheWriter::finish_at_exit();
    std::exit(0);
  }
  close(ends[1]);
  char byte = 0;
  EXPECT_EQ(read(ends[0], &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  close(ends[0]);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace graft::engine
