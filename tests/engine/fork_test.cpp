// Tests engines in a child of fork. In version 0.1, create_async and ~Engine hung if the parent had started a worker
// thread for create_async. fork copies only the calling thread, so the child has no worker thread, but the child waited
// for it.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "base/files.hpp"
#include "graft/graft.hpp"

namespace graft {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr unsigned kLimitSeconds = 20;  // a child that hangs is killed after this many seconds
constexpr int kThrew = 1, kWrongNumbers = 2, kKilled = 100;

// Runs `body` in a child process and returns how the child ended: 0 on success, or kKilled plus the signal if a signal
// killed the child.
int outcome_in_child(const std::function<int()>& body, const std::function<void(int)>& leave = ::_exit) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kLimitSeconds);
    int outcome = kThrew;
    try {
      outcome = body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "in the child: %s\n", error.what());
    }
    leave(outcome);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : kKilled + WTERMSIG(status);
}

std::string times(int factor) {
  return "__device__ float times(float x) { return " + std::to_string(factor) + " * x; }";
}

std::shared_future<Transform> begin(Engine& engine, int factor) {
  return Transform::create_async(engine, times(factor), {.routes = {.required = Route::Host}});
}

int check(const Transform& transform, int factor) {
  float value = 3.0f;
  transform.execute(host, {&value, 1}, {&value, 1});
  return value == 3.0f * static_cast<float>(factor) ? 0 : kWrongNumbers;
}

// Waits until the worker thread has finished its job, then pauses so that the thread has time to start waiting for the
// next job.
void wait_until_idle(const std::shared_future<Transform>& made) {
  made.wait();
  std::this_thread::sleep_for(50ms);
}

EngineOptions in_memory(unsigned threads) {
  return {.cache = {.policy = CachePolicy::MemoryOnly}, .threads = threads};
}

TEST(EngineInAChild, AChildOfAnIdleParentHasThreadsOfItsOwn) {
  for (const unsigned threads : {1u, 2u}) {
    auto engine = std::make_unique<Engine>(in_memory(threads));
    wait_until_idle(begin(*engine, 2));
    EXPECT_EQ(outcome_in_child([&] {
                const auto found = begin(*engine, 2);  // the parent made this transform before the fork
                const auto made = begin(*engine, 3);
                return check(found.get(), 2) + check(made.get(), 3);
              }),
              0);
    EXPECT_EQ(check(begin(*engine, 4).get(), 4), 0) << "the parent's engine must still work";
  }
}

TEST(EngineInAChild, AChildOfAnIdleParentDestroysTheEngine) {
  auto engine = std::make_unique<Engine>(in_memory(2));
  wait_until_idle(begin(*engine, 2));
  EXPECT_EQ(outcome_in_child([&] {
              engine.reset();
              return 0;
            }),
            0);
  EXPECT_EQ(outcome_in_child([&] {
              const Transform made = begin(*engine, 3).get();
              engine.reset();  // joins the child's own worker thread
              return check(made, 3);
            }),
            0);
  engine.reset();
}

TEST(EngineInAChild, AChildOfAChildHasThreadsOfItsOwn) {
  auto engine = std::make_unique<Engine>(in_memory(2));
  wait_until_idle(begin(*engine, 2));
  EXPECT_EQ(outcome_in_child([&] {
              wait_until_idle(begin(*engine, 3));
              return outcome_in_child([&] {
                const Transform made = begin(*engine, 4).get();
                engine.reset();
                return check(made, 4);
              });
            }),
            0);
}

// The child ends with exit(), as a return from main does, so that static objects are destroyed.
TEST(EngineInAChild, TheSharedEngineWorksInAChild) {
  wait_until_idle(begin(Engine::shared(), 5));
  EXPECT_EQ(outcome_in_child([] { return check(begin(Engine::shared(), 6).get(), 6); }, std::exit), 0);
}

// A host compiler that waits until the file `hold` is removed. Its first run creates the file `started`. Later runs do
// not wait.
class SlowCompiler {
 public:
  SlowCompiler() {
    std::ofstream(path("hold"));
    std::ofstream(path("cxx")) << "#!/bin/sh\ncase $1 in --version) exec c++ --version ;; esac\n"
                                  "if mkdir '" +
                                      path("first") +
                                      "' 2>/dev/null; then\n"
                                      "  : > '" +
                                      path("started") +
                                      "'\n"
                                      "  while [ -e '" +
                                      path("hold") +
                                      "' ]; do sleep 0.02; done\n"
                                      "fi\nexec c++ \"$@\"\n";
    fs::permissions(path("cxx"), fs::perms::owner_all);
  }
  std::string path(const char* name) const { return (folder_.path() / name).string(); }
  void wait_until_started() const {
    while (!fs::exists(path("started"))) std::this_thread::sleep_for(5ms);
  }
  void let_go() const { fs::remove(path("hold")); }

 private:
  base::TemporaryFolder folder_;
};

TEST(EngineInAChild, AChildOfABusyParentNeedsNothingOfItsThreads) {
  const SlowCompiler compiler;
  EngineOptions options = in_memory(1);
  options.host_compiler = compiler.path("cxx");
  auto engine = std::make_unique<Engine>(options);
  const auto running = begin(*engine, 2);
  const auto queued = begin(*engine, 3);
  compiler.wait_until_started();
  EXPECT_EQ(outcome_in_child([&] {
              const auto other = begin(*engine, 4);
              const auto same_as_queued = begin(*engine, 3);
              // At the time of the fork, the parent is building this transform. The child is not.
              const auto same_as_running = begin(*engine, 2);
              const int outcome =
                  check(other.get(), 4) + check(same_as_queued.get(), 3) + check(same_as_running.get(), 2);
              engine.reset();
              return outcome;
            }),
            0);
  EXPECT_EQ(outcome_in_child([&] {
              engine.reset();
              return 0;
            }),
            0);
  compiler.let_go();
  EXPECT_EQ(check(running.get(), 2) + check(queued.get(), 3), 0) << "the parent's builds must end";
}

}  // namespace
}  // namespace graft
