// Tests calls that run at the same time.
#include "base/in_parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

namespace graft::base {
namespace {

TEST(InParallel, ReturnsResultsInOrder) {
  std::atomic<int> waiting = 3;
  const std::vector<std::string> results = results_in_parallel(3, [&](std::size_t i) {
    // No call returns before all have begun.
    for (--waiting; waiting > 0;) std::this_thread::yield();
    return std::to_string(i);
  });
  EXPECT_EQ(results, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_TRUE(results_in_parallel(0, [](std::size_t i) { return i; }).empty());
}

TEST(InParallel, ThrowsWhatTheFirstThrew) {
  std::atomic<int> ended = 0;
  const auto run = [&] {
    results_in_parallel(4, [&](std::size_t i) -> int {
      if (i == 3) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++ended;
      if (i > 0) throw std::runtime_error(std::to_string(i));
      return 0;
    });
  };
  try {
    run();
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "1");
  }
  EXPECT_EQ(ended, 4);
}

TEST(InParallel, IsCancelledWithItsCaller) {
  std::atomic<bool> cancelled = false;
  const CancellableWork work(cancelled);
  EXPECT_THROW(results_in_parallel(2,
                                   [&](std::size_t i) {
                                     if (i == 0) cancelled = true;
                                     while (!cancelled) std::this_thread::yield();
                                     if (i == 1) throw_if_cancelled();
                                     return i;
                                   }),
               Cancelled);
}

}  // namespace
}  // namespace graft::base
