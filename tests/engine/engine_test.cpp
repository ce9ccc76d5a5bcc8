// Tests one engine that many threads use. Each kernel is built once. A failed build fails for all threads that wait for
// it, and for no other request.
#include "graft/engine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <latch>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/files.hpp"
#include "core/image_data.hpp"
#include "graft/image.hpp"
#include "graft/transform.hpp"
#include "support/errors.hpp"

namespace graft {
namespace {

constexpr int kThreads = 16;

// Calls work(0), work(1), ... at the same time, each in a thread of its own.
template <class Work>
void together(Work work) {
  std::latch start(kThreads);
  std::vector<std::jthread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      work(i);
    });
}

std::string source(int factor) {
  return fmt::format("__device__ float f(float x) {{ return {}.0f * x; }}", factor);
}

TEST(EngineThreads, EqualRequestsAreBuiltOnce) {
  Engine engine;
  std::vector<const Image::Data*> images(kThreads);
  together([&](int i) {
    images[static_cast<std::size_t>(i)] = Image::Data::of(build(engine, source(2), Architecture(90))).get();
  });
  EXPECT_EQ(std::set(images.begin(), images.end()).size(), 1u);
  const Counters counters = engine.counters();
  EXPECT_EQ(counters.creates, kThreads);
  EXPECT_EQ(counters.builds, 1u);
  EXPECT_EQ(counters.failed_builds, 0u);
  EXPECT_EQ(counters.waits + counters.memory_hits, kThreads - 1u);
  EXPECT_EQ(counters.loads, 0u);
}

TEST(EngineThreads, EqualRequestsShareOneTransform) {
  Engine engine;
  const Options on_host = {.routes = {.required = Route::Host}};
  std::vector<const Report*> reports(kThreads);
  together(
      [&](int i) { reports[static_cast<std::size_t>(i)] = &Transform::create(engine, source(2), on_host).report(); });
  EXPECT_EQ(std::set(reports.begin(), reports.end()).size(), 1u);
  EXPECT_EQ(reports[0], &Transform::create(engine, source(2), on_host).report());
}

// create_async reports every error through its future, also an error that it finds before it returns.
TEST(EngineThreads, CreateAsyncThrowsThroughItsFutureAlone) {
  Engine engine;
  std::shared_future<Transform> made;
  ASSERT_NO_THROW(made = Transform::create_async(engine, "#define X\n__device__ float f(float x) { return x; }",
                                                 {.closed = Closed{}}));
  EXPECT_EQ(test::error_of([&] { made.get(); }).code(), ErrorCode::InvalidArgument);
}

TEST(EngineThreads, DifferentRequestsAreBuiltApart) {
  Engine engine;
  constexpr int kKinds = 4;
  std::vector<const Image::Data*> images(kThreads);
  together([&](int i) {
    const Image image = build(engine, source(i % kKinds), Architecture(90));
    EXPECT_NE(image.report().source.find(source(i % kKinds)), std::string::npos);
    images[static_cast<std::size_t>(i)] = Image::Data::of(image).get();
  });
  EXPECT_EQ(std::set(images.begin(), images.end()).size(), kKinds);
  EXPECT_EQ(engine.counters().builds, kKinds);
  EXPECT_EQ(engine.counters().waits + engine.counters().memory_hits, kThreads - kKinds);
}

TEST(EngineThreads, AFailedBuildFailsEveryoneAndPoisonsNothing) {
  Engine engine;
  std::vector<std::string> messages(kThreads);
  together([&](int i) {
    const Error error =
        test::error_of([&] { build(engine, "__device__ float f(float x) { return gain_y; }", Architecture(90)); });
    messages[static_cast<std::size_t>(i)] = error.what();
  });
  EXPECT_EQ(std::set(messages.begin(), messages.end()).size(), 1u);
  EXPECT_NE(messages[0].find("identifier \"gain_y\" is undefined"), std::string::npos) << messages[0];
  // A thread that asks after the failure starts another build. There may thus be several builds, and all of them fail.
  const Counters failed = engine.counters();
  EXPECT_GE(failed.failed_builds, 1u);
  EXPECT_EQ(failed.builds, 0u);
  EXPECT_EQ(failed.memory_hits, 0u);
  // The failure must not affect other requests: the same source with the missing name defined compiles, and so does
  // another source.
  Options options;
  options.defines = {{"gain_y", "x"}};
  EXPECT_GT(build(engine, "__device__ float f(float x) { return gain_y; }", Architecture(90), options).bytes().size(),
            0u);
  EXPECT_GT(build(engine, source(3), Architecture(90)).bytes().size(), 0u);
  EXPECT_EQ(engine.counters().builds, 2u);
  EXPECT_EQ(engine.counters().failed_builds, failed.failed_builds);
}

TEST(EngineThreads, ToolsAreOpenedAtTheSameTime) {
  Engine engine;
  together([&](int i) {
    if (i % 2 == 0) engine.preload();
    else EXPECT_NE(engine.describe_tools().find("host compiler: "), std::string::npos);
  });
}

TEST(EngineImages, AreSharedWithinAnEngineOnly) {
  Engine one;
  Engine other;
  const Image first = build(one, source(5), Architecture(90));
  EXPECT_EQ(Image::Data::of(first), Image::Data::of(build(one, source(5), Architecture(90))));
  EXPECT_NE(Image::Data::of(first), Image::Data::of(build(one, source(5), Architecture(80))));
  EXPECT_NE(Image::Data::of(first), Image::Data::of(build(other, source(5), Architecture(90))));
  EXPECT_EQ(one.counters().memory_hits, 1u);
  EXPECT_EQ(one.counters().builds, 2u);
  EXPECT_EQ(other.counters().builds, 1u);
  EXPECT_EQ(&Engine::shared(), &Engine::shared());
  EXPECT_EQ(one.release_unused(), 0u);
}

// One thread removes unused images while other threads build, use and drop them. No thread may lose an image that it
// holds.
TEST(EngineThreads, ReleaseUnusedMeetsBuildsOfOtherThreads) {
  const base::TemporaryFolder folder;  // a disk cache lets a thread reload an image that was removed from memory
  Engine engine({.cache = {.policy = CachePolicy::ReadWrite, .folder = folder.path()}});
  const std::size_t size = build(engine, source(2), Architecture(90)).bytes().size();
  std::atomic<int> at_work{kThreads};
  std::jthread releaser([&] {
    while (at_work > 0) EXPECT_EQ(engine.release_unused(), 0u);  // always 0 because no kernel is loaded on a GPU
  });
  together([&](int i) {
    for (int round = 0; round < 20; ++round) {
      // Requests that differ only in the callback's name are different requests in memory, but share one cache entry on
      // disk.
      const auto callback = Callback::source(source(2), fmt::format("{}.cu", (i + round) % 4));
      EXPECT_EQ(build(engine, callback, Architecture(90)).bytes().size(), size);
    }
    --at_work;
  });
  releaser.join();
  const std::weak_ptr<const Image::Data> last = Image::Data::of(build(engine, source(2), Architecture(90)));
  engine.release_unused();
  EXPECT_TRUE(last.expired());
}

TEST(EngineThreads, ReleaseUnusedMeetsCreatesOfOtherThreads) {
  Engine engine({.cache = {.policy = CachePolicy::MemoryOnly}});
  constexpr int kMakers = 3;
  std::atomic<int> at_work{kMakers};
  std::jthread releaser([&] {
    while (at_work > 0) {
      engine.release_unused();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  std::vector<std::jthread> makers;
  for (int i = 0; i < kMakers; ++i)
    makers.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        const auto later = Transform::create_async(engine, source(2), {.routes = {.required = Route::Host}});
        const Transform made = Transform::create(engine, source(2), {.routes = {.required = Route::Host}});
        for (const Transform& transform : {made, later.get()}) {
          std::vector<float> values(100, 1.5f);
          transform.execute(host, values, values);
          EXPECT_EQ(values[99], 3.0f);
        }
      }
      --at_work;
    });
  makers.clear();
  releaser.join();
  const std::weak_ptr<const Image::Data> last =
      Image::Data::of(Transform::create(engine, source(2), {.routes = {.required = Route::Host}}).image());
  engine.release_unused();
  EXPECT_TRUE(last.expired());
}

TEST(EngineTools, AreDescribed) {
  Engine engine;
  const std::string text = engine.describe_tools();
  for (const char* word : {"driver: ", "host compiler: ", "NVRTC", "nvJitLink"})
    EXPECT_NE(text.find(word), std::string::npos) << word << " in\n" << text;
}

TEST(EngineTools, MayBeMissing) {
  Engine engine({.cuda_path = "/nonexistent/cuda", .host_compiler = "/nonexistent/c++"});
  const Error error = test::error_of([&] { engine.preload(); });
  EXPECT_EQ(error.code(), ErrorCode::ToolMissing);
  EXPECT_NE(error.message().find("/nonexistent/cuda"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("GRAFT_CUDA_PATH"), std::string::npos);
  EXPECT_NE(engine.describe_tools().find("/nonexistent/cuda"), std::string::npos) << engine.describe_tools();
}

}  // namespace
}  // namespace graft
