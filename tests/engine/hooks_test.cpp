// Tests an engine's hooks for applications: the log, the limits on builds and memory, and cancelling create_async.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/cancellation.hpp"
#include "base/files.hpp"
#include "engine/build_slots.hpp"
#include "graft/graft.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

using test::error_of;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace fs = std::filesystem;

const Options kOnHost = {.routes = {.required = Route::Host}};

Callback times(int factor) {
  return Callback::source("__device__ float f(float x) { return " + std::to_string(factor) + " * x; }", "gain.cu");
}

// Keeps copies of the events that it is told.
class Events {
 public:
  Log log() {
    return [this](const LogEvent& event) {
      const std::lock_guard lock(mutex_);
      kinds_.push_back(event.kind);
      events_.push_back({event.severity, std::string(event.text), std::string(event.callback), event.milliseconds});
    };
  }
  // Returns the kinds of the events since the last call.
  std::vector<LogKind> take_kinds() {
    const std::lock_guard lock(mutex_);
    return std::exchange(kinds_, {});
  }
  struct Event {
    LogSeverity severity;
    std::string text;
    std::string callback;
    double milliseconds;
  };
  Event last() {
    const std::lock_guard lock(mutex_);
    return events_.back();
  }

 private:
  std::mutex mutex_;
  std::vector<LogKind> kinds_;
  std::vector<Event> events_;
};

TEST(EngineLog, TellsHowEachRequestWent) {
  Events events;
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}, .log = events.log()});
  const Image first = build(engine, times(2), Architecture(90));
  EXPECT_THAT(events.take_kinds(), ElementsAre(LogKind::ToolsChosen, LogKind::Built));
  EXPECT_EQ(events.last().severity, LogSeverity::Info);
  EXPECT_EQ(events.last().callback, "gain.cu");
  EXPECT_GT(events.last().milliseconds, 0);
  EXPECT_THAT(events.last().text, HasSubstr("was built by the route program for sm_90 in "));

  const Image again = build(engine, times(2), Architecture(90));
  EXPECT_THAT(events.take_kinds(), ElementsAre(LogKind::MemoryHit));
  const Image second = build(engine, times(3), Architecture(90));
  EXPECT_THAT(events.take_kinds(), ElementsAre(LogKind::Built)) << "the tools are told once";

  error_of([&] { build(engine, "__device__ float f(float x) { return y; }", Architecture(90)); });
  EXPECT_THAT(events.take_kinds(), ElementsAre(LogKind::BuildFailed));
  EXPECT_EQ(events.last().severity, LogSeverity::Warning);
  EXPECT_THAT(events.last().text, HasSubstr("does not compile"));
}

// A formula must not write lines of its own into the log.
TEST(EngineLog, AnEventIsOneLine) {
  Events events;
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}, .log = events.log()});
  const Callback callback = Callback::source("__device__ float f(float x) { return x; }", "a\nINFO admin\x1b[31m.cu");
  error_of([&] { build(engine, callback.with_signature("float g(int)\nINFO admin\x1b[31m"), Architecture(90)); });
  EXPECT_EQ(events.last().text.find_first_of("\n\r\x1b"), std::string::npos) << events.last().text;
  EXPECT_EQ(events.last().callback.find_first_of("\n\r\x1b"), std::string::npos);
}

TEST(EngineLog, TellsLoadsAndTransformsInMemory) {
  Events events;
  Engine engine({.log = events.log()});
  const Transform transform = Transform::create(engine, times(2), kOnHost);
  EXPECT_THAT(events.take_kinds(), ElementsAre(LogKind::ToolsChosen, LogKind::Built, LogKind::Loaded));
  Transform::create(engine, times(2), kOnHost);
  EXPECT_THAT(events.take_kinds(), ElementsAre(LogKind::MemoryHit));
  const std::vector<float> in = {1, 2};
  std::vector<float> out(2);
  transform.execute(host, in, out);
  EXPECT_THAT(events.take_kinds(), ElementsAre()) << "execute tells nothing";
}

TEST(EngineLog, TellsHitsOnDiskAndWhyTheCacheIsNotUsed) {
  const base::TemporaryFolder folder;
  Events events;
  const EngineOptions options = {
      .cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path() / "cache", .layers = std::vector<fs::path>{}},
      .log = events.log()};
  {
    Engine engine(options);
    build(engine, times(2), Architecture(90));
    EXPECT_THAT(events.take_kinds(), ElementsAre(LogKind::ToolsChosen, LogKind::Built));
  }
  {
    Engine engine(options);
    build(engine, times(2), Architecture(90));
    EXPECT_THAT(events.take_kinds(), ElementsAre(LogKind::DiskHit));
  }
  fs::permissions(options.cache.folder, fs::perms::all);  // others can write to the folder, so it is not used
  Engine engine(options);
  build(engine, times(2), Architecture(90));
  EXPECT_THAT(events.take_kinds(), Contains(LogKind::CacheProblem));
}

TEST(EngineLog, ExceptionsOfTheLogAreDropped) {
  std::atomic<int> calls{0};
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}, .log = [&](const LogEvent&) {
                   ++calls;
                   throw std::runtime_error("the log is full");
                 }});
  EXPECT_FALSE(build(engine, times(2), Architecture(90)).bytes().empty());
  EXPECT_EQ(calls, 2);
}

TEST(EngineLog, NamesEveryKindOnce) {
  std::set<std::string_view> names;
  for (int kind = 1; kind <= 9; ++kind) names.insert(name(static_cast<LogKind>(kind)));
  EXPECT_EQ(names.size(), 9u);
  EXPECT_FALSE(names.contains("Unknown"));
  EXPECT_EQ(name(static_cast<LogKind>(10)), "Unknown");
  EXPECT_EQ(name(LogSeverity::Warning), "warning");
}

TEST(EngineLimits, NoMoreBuildsRunThanThereAreSlots) {
  engine::BuildSlots slots(2);
  std::atomic<int> running{0}, most{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        const engine::BuildSlots::Slot slot(slots);
        const int now = ++running;
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        --running;
      });
  }
  EXPECT_EQ(most, 2);
}

TEST(EngineLimits, AThreadThatWaitsForASlotCanBeCancelled) {
  engine::BuildSlots slots(1);
  const engine::BuildSlots::Slot taken(slots);
  std::atomic<bool> flag{false};
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    flag = true;
  });
  const base::CancellableWork work(flag);
  EXPECT_THROW(engine::BuildSlots::Slot slot(slots), base::Cancelled);
}

// Returns the number of builds when kernel a, kernel b and kernel a are built after one another.
std::uint64_t builds_of_aba(std::uint64_t max_bytes, bool keep_first) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}, .max_unused_image_bytes = max_bytes});
  std::optional<Image> first = build(engine, times(2), Architecture(90));
  if (!keep_first) first.reset();
  build(engine, times(3), Architecture(90));
  build(engine, times(2), Architecture(90));
  return engine.counters().builds;
}

TEST(EngineLimits, UnusedImagesAreDroppedAboveTheLimitAndUsedOnesAreNot) {
  EXPECT_EQ(builds_of_aba(0, false), 2u);
  EXPECT_EQ(builds_of_aba(1 << 30, false), 2u);
  EXPECT_EQ(builds_of_aba(1, false), 3u);
  EXPECT_EQ(builds_of_aba(1, true), 2u);
}

// A folder with a program that stands for a compiler or for the program graft. The program runs until it is killed, or
// until there is a file `go`, and then becomes the C++ compiler.
class SlowProgram {
 public:
  SlowProgram() {
    write("slow",
          "#!/bin/sh\n"
          "case \"$*\" in\n"
          "  *--version*) ;;\n"
          "  *) echo started >> " +
              path("started") + "; while [ ! -e " + path("go") +
              " ]; do sleep 0.01; done ;;\n"
              "esac\n"
              "exec c++ \"$@\"\n");
    fs::permissions(folder_.path() / "slow", fs::perms::owner_all);
  }
  fs::path program() const { return folder_.path() / "slow"; }
  bool has_started() const { return fs::exists(folder_.path() / "started"); }
  void wait_until_started() const {
    while (!has_started()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  // How often it was started as a compiler.
  std::size_t starts() const {
    const std::string lines = base::read_file(folder_.path() / "started").value_or("");
    return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), '\n'));
  }
  void let_go() const { write("go", ""); }

 private:
  std::string path(const char* name) const { return (folder_.path() / name).string(); }
  void write(const char* name, const std::string& text) const {
    ASSERT_TRUE(base::write_file(folder_.path() / name, base::as_bytes(text)));
  }
  base::TemporaryFolder folder_;
};

ErrorCode code_of(const Pending<Transform>& pending) {
  return error_of([&] { pending.get(); }).code();
}

TEST(EngineLimits, AnEngineWithOneSlotBuildsOneAfterTheOther) {
  const SlowProgram compiler;
  Engine engine({.host_compiler = compiler.program(), .threads = 2, .max_builds = 1});
  const Pending<Transform> first = Transform::create_async(engine, times(2), kOnHost);
  compiler.wait_until_started();
  const Pending<Transform> second = Transform::create_async(engine, times(3), kOnHost);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(compiler.starts(), 1u) << "the second build did not wait";
  compiler.let_go();
  first.get();
  second.get();
  EXPECT_EQ(compiler.starts(), 2u);
}

TEST(Cancel, ABuildEndsAndItsCompilerIsKilled) {
  const SlowProgram compiler;
  Engine engine({.host_compiler = compiler.program(), .threads = 1});
  const Pending<Transform> running = Transform::create_async(engine, times(2), kOnHost);
  const Pending<Transform> queued = Transform::create_async(engine, times(3), kOnHost);
  compiler.wait_until_started();
  std::jthread waiting([&] { EXPECT_EQ(code_of(running), ErrorCode::Cancelled); });
  EXPECT_TRUE(queued.cancel());
  EXPECT_EQ(code_of(queued), ErrorCode::Cancelled);
  EXPECT_TRUE(running.cancel());
  EXPECT_FALSE(running.cancel());
  waiting.join();
  // Nobody wrote the file `go`: if the compiler were not killed, this build would wait for the thread for ever.
  const Pending<Transform> next = Transform::create_async(engine, times(4), kOnHost);
  compiler.let_go();
  next.get();
  EXPECT_FALSE(next.cancel());
  EXPECT_EQ(next.get().report().kernel.route, Route::Host);
  EXPECT_EQ(engine.counters().builds, 1u);
  EXPECT_EQ(engine.counters().failed_builds, 1u) << "the queued work never began";
}

TEST(Cancel, TheEngineWaitsForNoKilledCompiler) {
  const SlowProgram compiler;
  Pending<Transform> pending;
  EXPECT_FALSE(pending.cancel()) << "there is no work";
  {
    Engine engine({.host_compiler = compiler.program()});
    pending = Transform::create_async(engine, times(2), kOnHost);
    compiler.wait_until_started();
    EXPECT_TRUE(pending.cancel());
  }
  EXPECT_EQ(code_of(pending), ErrorCode::Cancelled);
}

TEST(Cancel, AnotherRequestForTheSameKernelIsNotCancelled) {
  const SlowProgram compiler;
  Engine engine({.host_compiler = compiler.program(), .threads = 2});
  const Pending<Transform> first = Transform::create_async(engine, times(2), kOnHost);
  compiler.wait_until_started();
  const Pending<Transform> second = Transform::create_async(engine, times(2), kOnHost);
  EXPECT_EQ(second.wait_for(std::chrono::milliseconds(100)), std::future_status::timeout);
  EXPECT_TRUE(first.cancel());
  compiler.let_go();
  const std::vector<float> in = {1, 2};
  std::vector<float> out(2);
  second.get().execute(host, in, out);
  EXPECT_THAT(out, ElementsAre(2, 4));
  EXPECT_EQ(code_of(first), ErrorCode::Cancelled);
}

// create prepares a context before it builds, and there may be no GPU. So this test builds an image, with the flag that
// the job of a create_async has.
TEST(Cancel, TheChildOfTheClosedModeIsKilled) {
  const SlowProgram program;
  Engine engine({.program = program.program(), .cache = {.policy = CachePolicy::MemoryOnly}});
  const Options options = {.closed = Closed{.time = std::chrono::minutes(10)}};
  std::atomic<bool> flag{false};
  std::jthread canceller([&] {
    program.wait_until_started();
    flag = true;
  });
  const base::CancellableWork work(flag);
  EXPECT_THROW(build(engine, times(2), Architecture(90), options), base::Cancelled);
}

// A moved-from Pending, and one that the default constructor made.
TEST(PendingWithoutWork, SaysSo) {
  const SlowProgram compiler;
  compiler.let_go();
  Engine engine({.host_compiler = compiler.program()});
  Pending<Transform> from = Transform::create_async(engine, times(2), kOnHost);
  const Pending<Transform> kept = std::move(from);
  for (const Pending<Transform>& pending : {from, Pending<Transform>()}) {  // NOLINT(bugprone-use-after-move)
    EXPECT_FALSE(pending.valid());
    EXPECT_FALSE(pending.cancel());
    const Error error = error_of([&] { pending.get(); });
    EXPECT_EQ(error.code(), ErrorCode::InvalidArgument);
    EXPECT_NE(error.message().find("has no work: it was moved from"), std::string::npos) << error.what();
    EXPECT_EQ(error_of([&] { pending.wait(); }).code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error_of([&] { pending.wait_for(std::chrono::milliseconds(1)); }).code(), ErrorCode::InvalidArgument);
    EXPECT_EQ(error_of([&] { pending.wait_until(std::chrono::steady_clock::now()); }).code(),
              ErrorCode::InvalidArgument);
  }
  EXPECT_EQ(kept.get().report().kernel.route, Route::Host);
}

TEST(Cancel, FftsCanBeCancelledToo) {
  const SlowProgram compiler;
  Engine engine({.host_compiler = compiler.program()});
  const Pending<Fft> pending = Fft::create_async(engine, {.length = 8}, {}, kOnHost);
  compiler.wait_until_started();
  EXPECT_TRUE(pending.cancel());
  EXPECT_EQ(error_of([&] { pending.get(); }).code(), ErrorCode::Cancelled);
}

}  // namespace
}  // namespace graft
