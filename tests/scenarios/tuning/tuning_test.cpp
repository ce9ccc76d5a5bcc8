// Tests that engines take the tuning of kernels from tuning files: from the one that an option names and, for a device,
// from the one in the cache. The device is that of a test double of the driver (support/fake_driver.hpp).
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "base/read_file.hpp"
#include "engine/tunings.hpp"
#include "format/tuning_file.hpp"
#include "graft/graft.hpp"
#include "scenarios/tuning/tuned_engines.hpp"
#include "store/tuning_place.hpp"
#include "support/errors.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kDouble = "__device__ float twice(float x) { return 2 * x; }";
constexpr Architecture kOfDouble{90};

format::TuningFile tuning_of_double() {
  return {
      .gpu = kGpu,
      .architecture = 90,
      .elementwise = {{{.inputs = {4}, .outputs = {4}},
                       {.vector_width = 4, .vectors_per_thread = 2, .block_threads = 64, .single_below = 1 << 20}}}};
}

class TuningOfEngines : public TunedEngines {
 protected:
  static bool is_tuned(const Report& report) {
    const Tuning& tuning = report.kernel.tuning;
    EXPECT_EQ(report.policy_reason.find(kTuned) != std::string::npos, tuning["block_threads"] == 64);
    return tuning["block_threads"] == 64 && tuning["vector_width"] == 4 && tuning["vectors_per_thread"] == 2 &&
           tuning["single_below"] == 1 << 20;
  }
  static Report created(Engine& engine, const Options& options = {}, const char* source = kDouble) {
    return Transform::create(engine, source, options).report();
  }
  static Report built(Engine& engine, const Options& options = {}, Architecture architecture = kOfDouble) {
    return build(engine, kDouble, architecture, options).report();
  }
};

TEST_F(TuningOfEngines, ADevicesFileInTheCacheIsTaken) {
  put(tuning_of_double());
  Engine engine(options());
  EXPECT_TRUE(is_tuned(created(engine)));
  EXPECT_FALSE(is_tuned(created(engine, {}, "__device__ double twice(double x) { return 2 * x; }")));
  EXPECT_FALSE(is_tuned(built(engine))) << "graft::build knows no device";
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(TuningOfEngines, KernelsOfBothTuningsAreInTheCache) {
  EXPECT_FALSE(is_tuned(created(*std::make_unique<Engine>(options()))));
  put(tuning_of_double());
  {
    Engine engine(options());
    EXPECT_TRUE(is_tuned(created(engine)));
    EXPECT_EQ(engine.counters().builds, 1u);
    // The option is a request of its own. Its kernel is that of before.
    Options rules;
    rules.shipped_tuning = true;
    const Report report = created(engine, rules);
    EXPECT_FALSE(is_tuned(report));
    EXPECT_TRUE(report.from_cache);
    EXPECT_EQ(engine.counters().builds, 1u);
  }
  {
    Engine engine(options());
    const Report report = created(engine);
    EXPECT_TRUE(is_tuned(report));
    EXPECT_TRUE(report.from_cache);
  }
  fs::remove(cache() / store::kTuningFolder / format::tuning_file_name(kGpu));
  Engine engine(options());
  const Report report = created(engine);
  EXPECT_FALSE(is_tuned(report)) << "without the file, everything is as before";
  EXPECT_TRUE(report.from_cache);
  EXPECT_EQ(engine.counters().builds, 0u);
}

TEST_F(TuningOfEngines, TheUsersPolicyComesFirst) {
  put(tuning_of_double());
  Engine engine(options());
  Options asked;
  asked.policy.block_threads = 128;
  const Report report = created(engine, asked);
  EXPECT_EQ(report.kernel.tuning["block_threads"], 128);
  EXPECT_EQ(report.kernel.tuning["vector_width"], 4);
  EXPECT_THAT(report.policy_reason, Not(HasSubstr(kTuned)));
}

TEST_F(TuningOfEngines, OnlyTheFileOfThisGpuIsTaken) {
  format::TuningFile other = tuning_of_double();
  other.gpu.memory_clock_khz = 1;
  put(other);
  EXPECT_FALSE(is_tuned(created(*std::make_unique<Engine>(options()))));
  other = tuning_of_double();
  other.architecture = 80;
  put(other);
  EXPECT_FALSE(is_tuned(created(*std::make_unique<Engine>(options()))));
}

TEST_F(TuningOfEngines, ADamagedFileInTheCacheIsTold) {
  const auto expect_told = [&](const std::string& words) {
    problems_.clear();
    Engine engine(options());
    EXPECT_FALSE(is_tuned(created(engine)));
    created(engine, {}, "__device__ float thrice(float x) { return 3 * x; }");
    ASSERT_EQ(problems_.size(), 1u) << "it is read once";
    EXPECT_THAT(problems_.front(), HasSubstr(words));
  };
  put(tuning_of_double());
  const fs::path file = cache() / store::kTuningFolder / format::tuning_file_name(kGpu);
  const std::string text = base::read_file(file).value();
  ASSERT_TRUE(base::write_file(file, base::as_bytes(text.substr(0, text.size() / 2))));
  expect_told("it is no JSON of a tuning file");
  format::TuningFile impossible = tuning_of_double();
  impossible.elementwise.front().kind = {.inputs = {512}, .outputs = {512}};
  impossible.elementwise.front().policy.vector_width = 16;
  put(impossible);
  expect_told("a tuning that no kernel can have: its vector width is 16");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  expect_told("can be written by other users");
}

TEST_F(TuningOfEngines, AStrangersFileIsNotTaken) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give a file away";
  put(tuning_of_double());
  const fs::path file = cache() / store::kTuningFolder / format::tuning_file_name(kGpu);
  constexpr uid_t kStranger = 65534;
  ASSERT_EQ(::chown(file.c_str(), kStranger, static_cast<gid_t>(-1)), 0);
  EngineOptions with_layer = options();
  with_layer.cache.folder = folder_.path() / "own";
  with_layer.cache.layers->push_back(cache());
  for (const EngineOptions& place : {options(), with_layer}) {
    problems_.clear();
    EXPECT_FALSE(is_tuned(created(*std::make_unique<Engine>(place))));
    ASSERT_EQ(problems_.size(), 1u);
    EXPECT_THAT(problems_.front(), HasSubstr("belongs to another user"));
  }
  // A file that the application names may be anyone's.
  EngineOptions named = options();
  named.tuning_file = file;
  EXPECT_TRUE(is_tuned(created(*std::make_unique<Engine>(named))));
}

TEST_F(TuningOfEngines, EnginesThatDoNotReadTheCacheLookForNoFile) {
  put(tuning_of_double());
  for (const CachePolicy policy : {CachePolicy::Off, CachePolicy::MemoryOnly}) {
    EngineOptions without = options();
    without.cache.policy = policy;
    EXPECT_FALSE(is_tuned(created(*std::make_unique<Engine>(without))));
  }
  EngineOptions read_only = options();
  read_only.cache.policy = CachePolicy::ReadOnly;
  EXPECT_TRUE(is_tuned(created(*std::make_unique<Engine>(read_only))));
}

// The kernels were made elsewhere, and not for this GPU.
TEST_F(TuningOfEngines, WhereCompilingIsForbiddenTheRulesKernelsAreTaken) {
  created(*std::make_unique<Engine>(options()));
  put(tuning_of_double());
  EngineOptions forbidden = options();
  forbidden.cache.policy = CachePolicy::ForbidCompiling;
  Engine engine(forbidden);
  EXPECT_FALSE(is_tuned(created(engine)));
}

TEST_F(TuningOfEngines, ALayersFileIsTaken) {
  put(tuning_of_double());
  EngineOptions with_layer = options();
  with_layer.cache.folder = folder_.path() / "own";
  with_layer.cache.layers->push_back(cache());
  EXPECT_TRUE(is_tuned(created(*std::make_unique<Engine>(with_layer))));
}

TEST_F(TuningOfEngines, ANamedFileIsAlsoForKernelsThatAreBuiltAhead) {
  name(format::write_tuning_file(tuning_of_double()));
  Engine engine(options(true));
  EXPECT_TRUE(is_tuned(built(engine)));
  EXPECT_FALSE(is_tuned(built(engine, {}, Architecture(80)))) << "it is of another architecture";
  Options rules;
  rules.shipped_tuning = true;
  EXPECT_FALSE(is_tuned(built(engine, rules)));
  EXPECT_TRUE(is_tuned(created(engine)));
  // It comes in place of the file in the cache.
  format::TuningFile of_another = tuning_of_double();
  of_another.gpu.name = "Another";
  name(format::write_tuning_file(of_another));
  put(tuning_of_double());
  Engine second(options(true));
  EXPECT_TRUE(is_tuned(built(second)));
  EXPECT_FALSE(is_tuned(created(second))) << "the device is not the file's";
}

TEST_F(TuningOfEngines, ANamedFileThatCannotBeUsedIsAnError) {
  const auto expect_error_of_file = [&](const std::string& words) {
    Engine engine(options(true));
    for (int i = 0; i < 2; ++i) {
      const Error error = error_of([&] { built(engine); });
      EXPECT_EQ(error.code(), ErrorCode::FileUnreadable);
      EXPECT_THAT(error.message(), HasSubstr(named().string()));
      EXPECT_THAT(error.message(), HasSubstr(words));
    }
    EXPECT_EQ(error_of([&] { created(engine); }).code(), ErrorCode::FileUnreadable);
  };
  expect_error_of_file("No such file");
  name("{}");
  expect_error_of_file("has no member `graft_tuning`");
  name(std::string(format::kLargestTuningFile + 1, ' '));
  expect_error_of_file("");
}

TEST_F(TuningOfEngines, TheClosedModeTakesTheUsersOwnFile) {
  put(tuning_of_double());
  EngineOptions closed = options();
  closed.program = GRAFT_PROGRAM;
  Engine engine(closed);
  Options of_stranger;
  of_stranger.closed.emplace();
  EXPECT_TRUE(is_tuned(created(engine, of_stranger)));
  fs::permissions(cache() / store::kTuningFolder, fs::perms::others_write, fs::perm_options::add);
  Engine second(closed);
  EXPECT_FALSE(is_tuned(created(second, of_stranger))) << "others may have written it";
}

// What is not measured keeps its rules: chains and packs.
TEST_F(TuningOfEngines, OtherCallbacksKeepTheRules) {
  put(tuning_of_double());
  Engine engine(options());
  const Callback twice(kDouble), thrice("__device__ float thrice(float x) { return 3 * x; }");
  EXPECT_FALSE(is_tuned(Transform::create(engine, chain({twice, thrice})).report()));
  const std::vector<std::byte> pack = precompile(engine, twice, {kOfDouble});
  EXPECT_FALSE(is_tuned(Transform::create(engine, Callback::pack(pack, "twice")).report()));
}

// The files in the source are as graft tune wrote them, under the names by which engines would find them.
TEST(KnownGpus, HaveTuningFilesThatKernelsCanHave) {
  int files = 0;
  for (const auto& entry : fs::directory_iterator(GRAFT_SOURCE_DIR "/bench/tuning")) {
    SCOPED_TRACE(entry.path().string());
    const base::FileContent content = base::read_file(entry.path(), format::kLargestTuningFile);
    ASSERT_TRUE(content);
    format::TuningFile file;
    EXPECT_EQ(engine::read_tuning(*content, file), "");
    EXPECT_EQ(format::write_tuning_file(file), *content);
    EXPECT_EQ(format::tuning_file_name(file.gpu), entry.path().filename());
    ++files;
  }
  EXPECT_GT(files, 0);
}

}  // namespace
}  // namespace graft::test
