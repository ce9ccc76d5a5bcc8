// Tests SingleFlight. One thread makes a value and all other threads wait for it. A failure leaves nothing behind, so
// the next thread tries again.
#include "base/single_flight.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace graft::base {
namespace {

using Flight = SingleFlight<std::string, int, std::runtime_error>;

TEST(SingleFlight, MakesOnceForEachKey) {
  Flight flight;
  int made = 0;
  const auto make = [&] { return ++made; };
  EXPECT_EQ(flight.find_or_make("a", make), (std::pair{1, Found::Made}));
  EXPECT_EQ(flight.find_or_make("a", make), (std::pair{1, Found::Ready}));
  EXPECT_EQ(flight.find_or_make("b", make), (std::pair{2, Found::Made}));
  EXPECT_EQ(flight.find_or_make("a", make), (std::pair{1, Found::Ready}));
}

TEST(SingleFlight, FailuresAreNotKept) {
  Flight flight;
  const auto fail = []() -> int { throw std::runtime_error("no"); };
  EXPECT_THROW(flight.find_or_make("a", fail), std::runtime_error);
  EXPECT_THROW(flight.find_or_make("a", fail), std::runtime_error);
  EXPECT_EQ(flight.find_or_make("a", [] { return 3; }), (std::pair{3, Found::Made}));
}

TEST(SingleFlight, AValueForItsMakerAloneIsNotKept) {
  Flight flight;
  const auto is_shared = [](int value) { return value > 1; };
  int made = 0;
  const auto make = [&] { return ++made; };
  EXPECT_EQ(flight.find_or_make("a", make, is_shared), (std::pair{1, Found::Made}));
  EXPECT_EQ(flight.find_or_make("a", make, is_shared), (std::pair{2, Found::Made}));
  EXPECT_EQ(flight.find_or_make("a", make, is_shared), (std::pair{2, Found::Ready}));
}

// 16 threads ask for the same value. The predicate `one > 1` says that the first value made, 1, is only for the thread
// that made it. This thread waits until all other threads have asked. One of them must then make the value 2, and all
// others must share it.
TEST(SingleFlight, WaitersDoNotGetAValueForItsMakerAlone) {
  Flight flight;
  constexpr int kThreads = 16;
  std::atomic<int> made{0};
  std::atomic<int> asking{0};
  std::atomic<int> firsts{0};
  std::atomic<int> seconds{0};
  const auto make = [&] {
    while (asking < kThreads) std::this_thread::yield();
    return ++made;
  };
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      ++asking;
      const int value = flight.find_or_make("a", make, [](int one) { return one > 1; }).first;
      ++(value == 1 ? firsts : seconds);
    });
  threads.clear();
  EXPECT_EQ(made, 2);
  EXPECT_EQ(firsts, 1);
  EXPECT_EQ(seconds, kThreads - 1);
}

// The maker waits until every other thread has had time to ask for the value.
TEST(SingleFlight, WaitersShareTheResult) {
  Flight flight;
  constexpr int kThreads = 16;
  std::atomic<int> made{0};
  std::atomic<int> asking{0};
  std::atomic<int> sum{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      ++asking;
      sum += flight
                 .find_or_make("a",
                               [&] {
                                 while (asking < kThreads) std::this_thread::yield();
                                 ++made;
                                 return 7;
                               })
                 .first;
    });
  threads.clear();
  EXPECT_EQ(made, 1);
  EXPECT_EQ(sum, 7 * kThreads);
}

TEST(SingleFlight, WaitersShareTheFailure) {
  Flight flight;
  std::promise<void> made;
  std::promise<void> go;
  std::string first;
  std::string second;
  const auto ask = [&](std::string& text, auto make) {
    try {
      flight.find_or_make("a", make);
    } catch (const std::runtime_error& error) {
      text = error.what();
    }
  };
  std::jthread maker([&] {
    ask(first, [&]() -> int {
      made.set_value();
      go.get_future().wait();
      throw std::runtime_error("the maker's");
    });
  });
  made.get_future().wait();
  std::atomic<bool> made_again{false};
  std::jthread waiter([&] {
    ask(second, [&]() -> int {
      made_again = true;
      throw std::runtime_error("the maker's");
    });
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  go.set_value();
  maker.join();
  waiter.join();
  EXPECT_EQ(first, "the maker's");
  EXPECT_EQ(second, "the maker's");
  EXPECT_FALSE(made_again);
}

TEST(SingleFlight, MakingOneKeyDoesNotHoldUpAnother) {
  Flight flight;
  EXPECT_EQ(flight.find_or_make("a", [&] { return flight.find_or_make("b", [] { return 2; }).first + 1; }).first, 3);
}

TEST(SingleFlight, RemovesWhatIsUnwanted) {
  SingleFlight<int, std::shared_ptr<int>, std::runtime_error> flight;
  for (int i = 0; i < 4; ++i) flight.find_or_make(i, [&] { return std::make_shared<int>(i); });
  const auto removed = flight.remove_if([](const std::shared_ptr<int>& value) { return *value % 2 == 0; });
  EXPECT_EQ(removed.size(), 2u);
  EXPECT_EQ(flight.find_or_make(1, [] { return std::make_shared<int>(9); }).second, Found::Ready);
  EXPECT_EQ(flight.find_or_make(2, [] { return std::make_shared<int>(9); }).second, Found::Made);
  // remove_if, called here while the value for key 5 is being made, must not remove this value.
  flight.find_or_make(5, [&] {
    EXPECT_EQ(flight.remove_if([](const auto&) { return true; }).size(), 3u);
    return std::make_shared<int>(5);
  });
  EXPECT_EQ(flight.find_or_make(5, [] { return nullptr; }).second, Found::Ready);
}

// A value whose copy constructor runs a function of the test. With this function, the test pauses a thread that has
// found the value but has not copied it yet.
struct SlowCopy {
  std::shared_ptr<int> held;
  std::function<void()>* at_copy = nullptr;
  SlowCopy() = default;
  SlowCopy(const SlowCopy& other) : at_copy(other.at_copy) {
    if (at_copy != nullptr && *at_copy) (*at_copy)();
    held = other.held;
  }
  SlowCopy& operator=(const SlowCopy& other) {
    held = other.held;
    at_copy = other.at_copy;
    return *this;
  }
};

// A thread that has found a value must get it: remove_if, called by another thread, must not remove the value before
// the first thread has copied it.
TEST(SingleFlight, DoesNotRemoveWhatSomebodyIsAboutToHold) {
  SingleFlight<int, SlowCopy, std::runtime_error> flight;
  std::function<void()> at_copy;
  flight.find_or_make(1, [&] {
    SlowCopy value;
    value.held = std::make_shared<int>(5);
    value.at_copy = &at_copy;
    return value;
  });
  std::promise<std::size_t> removed;
  std::jthread remover;
  std::atomic<bool> is_first{true};
  at_copy = [&] {
    if (!is_first.exchange(false)) return;
    remover = std::jthread([&] {
      removed.set_value(flight.remove_if([](const SlowCopy& value) { return value.held.use_count() == 1; }).size());
    });
    // A remove_if that (wrongly) does not wait has enough time to remove the value.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  };
  const SlowCopy found = flight.find_or_make(1, [] { return SlowCopy(); }).first;
  EXPECT_EQ(removed.get_future().get(), 0u);
  EXPECT_EQ(*found.held, 5);
}

// A thread of the parent process is making a value during fork(). The child does not have this thread, so the child
// must make the value itself.
TEST(SingleFlight, AChildOfForkMakesWhatAThreadOfTheParentWasMaking) {
  Flight flight;
  std::promise<void> made;
  std::promise<void> go;
  flight.find_or_make("ready", [] { return 1; });
  std::jthread maker([&] {
    flight.find_or_make("a", [&] {
      made.set_value();
      go.get_future().wait();
      return 1;
    });
  });
  made.get_future().wait();
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(20);
    const bool right = flight.find_or_make("a", [] { return 2; }) == std::pair{2, Found::Made} &&
                       flight.find_or_make("a", [] { return 3; }) == std::pair{2, Found::Ready} &&
                       flight.find_or_make("ready", [] { return 3; }) == std::pair{1, Found::Ready};
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  go.set_value();
  maker.join();
  EXPECT_EQ(flight.find_or_make("a", [] { return 3; }), (std::pair{1, Found::Ready}));
}

}  // namespace
}  // namespace graft::base
