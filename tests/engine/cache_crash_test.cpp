// Many processes, each with its own engine, build kernels into the same cache folder and are killed at random moments.
// Every kernel that a surviving process got must equal the kernel of a fresh build.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/files.hpp"
#include "base/hash.hpp"
#include "graft/graft.hpp"
#include "store/maintenance.hpp"
#include "support/processes.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;

constexpr int kProcesses = 6;
constexpr int kKeys = 12;

Image request(Engine& engine, int number) {
  return build(engine, fmt::format("__device__ float f(float x) {{ return {}.0f * x; }}", number), Architecture(90));
}

std::string hash_of(const Image& image) {
  return base::hash({reinterpret_cast<const char*>(image.bytes().data()), image.bytes().size()}).hex();
}

EngineOptions options(CachePolicy policy, const fs::path& folder) {
  EngineOptions options;
  options.cache.policy = policy;
  options.cache.folder = folder;
  options.cache.layers.emplace();
  return options;
}

TEST(CacheCrash, SurvivorsHaveTheRightKernels) {
  const base::TemporaryFolder scratch;
  const fs::path folder = scratch.path() / "cache";
  const fs::path results = scratch.path() / "results";
  fs::create_directory(results);
  const test::Seconds time = test::crash_time(4);
  const auto end = test::Clock::now() + std::chrono::duration_cast<test::Clock::duration>(time);
  test::run_and_kill(kProcesses, time, [&](int number) {
    std::mt19937 random(static_cast<unsigned>(number));
    do {
      Engine engine(options(CachePolicy::ReadWrite, folder));
      const int key = static_cast<int>(random() % kKeys);
      const std::string name = fmt::format("{}-{}", key, hash_of(request(engine, key)));
      if (!base::write_file(results / name, {})) return 1;
    } while (test::Clock::now() < end);
    return 0;
  });

  Engine fresh(options(CachePolicy::Off, {}));
  Engine caching(options(CachePolicy::ReadWrite, folder));
  std::vector<std::string> right;
  for (int key = 0; key < kKeys; ++key) {
    right.push_back(fmt::format("{}-{}", key, hash_of(request(fresh, key))));
    EXPECT_EQ(right.back(), fmt::format("{}-{}", key, hash_of(request(caching, key))));
  }
  std::size_t seen = 0;
  for (const auto& one : fs::directory_iterator(results)) {
    ++seen;
    EXPECT_NE(std::find(right.begin(), right.end(), one.path().filename().string()), right.end()) << one.path();
  }
  EXPECT_GT(seen, 0u);
  const store::Store store({.folder = folder, .layers = {}});
  std::vector<std::string> problems;
  EXPECT_TRUE(store::verify(store, problems).empty());
  EXPECT_TRUE(problems.empty());
  store.sweep(store::kUsualLimit, std::chrono::seconds(0));
  for (const auto& one : fs::recursive_directory_iterator(folder)) EXPECT_NE(one.path().extension(), ".tmp");
}

}  // namespace
}  // namespace graft
