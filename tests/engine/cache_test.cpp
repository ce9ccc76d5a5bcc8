// Tests that the disk cache keeps kernels longer than an engine lives. Another engine or another process must find the
// kernels on disk, and must never get the kernel of a different request.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/files.hpp"
#include "core/version.hpp"
#include "engine/engine_impl.hpp"
#include "families/kept_kernels.hpp"
#include "format/cache_entry.hpp"
#include "graft/graft.hpp"
#include "store/maintenance.hpp"
#include "support/cubins.hpp"
#include "support/errors.hpp"
#include "support/headers.hpp"

namespace graft {
namespace {

namespace fs = std::filesystem;

const char* const kSource = "__device__ float twice(float x) { return 2 * x; }";

class CacheTest : public testing::Test {
 protected:
  EngineOptions options(CachePolicy policy = CachePolicy::ReadWrite) const {
    EngineOptions options;
    options.cache.policy = policy;
    options.cache.folder = folder();
    options.cache.layers.emplace();
    return options;
  }
  // Returns options for an engine without compilers, which can find kernels in the cache but cannot build any.
  EngineOptions without_tools(CachePolicy policy = CachePolicy::ReadWrite) const {
    EngineOptions blind = options(policy);
    blind.cuda_path = "/nonexistent/cuda";
    return blind;
  }
  fs::path folder() const { return temporary_.path() / "cache"; }
  const fs::path& scratch() const { return temporary_.path(); }

  std::vector<fs::path> entries() const {
    std::vector<fs::path> found;
    if (fs::exists(folder()))
      for (const auto& one : fs::recursive_directory_iterator(folder()))
        if (one.path().extension() == ".entry") found.push_back(one.path());
    return found;
  }

  static Image build_with(Engine& engine, const Callback& callback = kSource, const Options& options = {}) {
    return build(engine, callback, Architecture(90), options);
  }
  Image build_with(const EngineOptions& how, const Callback& callback = kSource, const Options& options = {}) const {
    Engine engine(how);
    return build(engine, callback, Architecture(90), options);
  }
  static std::string notes(const Image& image) { return fmt::format("{}", fmt::join(image.report().notes, "\n")); }

 private:
  base::TemporaryFolder temporary_;
};

bool same_bytes(const Image& a, const Image& b) {
  return std::equal(a.bytes().begin(), a.bytes().end(), b.bytes().begin(), b.bytes().end());
}

// A program that ends at once after its last create still stores the kernels. nvJitLink makes variables during its
// first link for each generation of GPUs, and exit() must not destroy them while the kernels are examined.
TEST_F(CacheTest, AProgramThatEndsAtOnceStoresItsKernels) {
  constexpr int kRuns = 8;
  for (int run = 0; run < kRuns; ++run) {
    fs::remove_all(folder());
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::alarm(60);                                 // ends a child that hangs
      auto* const engine = new Engine(options());  // never destroyed, like the engine that calls use by default
      for (const int architecture : {90, 120}) build(*engine, kSource, Architecture(architecture));
      std::exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "in run " << run;
    ASSERT_EQ(entries().size(), 2u) << "in run " << run;
  }
}

TEST_F(CacheTest, AnotherEngineFindsTheKernelWithoutTools) {
  Engine first(options());
  const Image built = build_with(first);
  EXPECT_FALSE(built.report().from_cache);
  EXPECT_EQ(first.counters().misses, 1u);
  EXPECT_EQ(first.counters().builds, 1u);
  ASSERT_EQ(entries().size(), 1u);
  EXPECT_EQ(first.counters().bytes_written, fs::file_size(entries()[0]));

  Engine second(without_tools());
  const Image found = build_with(second);
  EXPECT_TRUE(found.report().from_cache);
  EXPECT_TRUE(same_bytes(found, built));
  EXPECT_EQ(found.signature(), built.signature());
  EXPECT_EQ(found.report().versions, built.report().versions);
  EXPECT_EQ(found.report().resources.registers, built.report().resources.registers);
  EXPECT_EQ(found.report().source, built.report().source);
  EXPECT_EQ(notes(found), notes(built));
  ASSERT_EQ(found.report().steps.size(), 1u);
  EXPECT_EQ(found.report().steps[0].name, "read cache");
  build_with(second);
  const Counters counters = second.counters();
  EXPECT_EQ(counters.disk_hits, 1u);
  EXPECT_EQ(counters.memory_hits, 1u);
  EXPECT_EQ(counters.creates, 2u);
  EXPECT_EQ(counters.misses + counters.builds + counters.layer_hits + counters.rejected_entries, 0u);
  EXPECT_EQ(counters.bytes_read, first.counters().bytes_written);
}

TEST_F(CacheTest, AProcessThatFindsOpensNoTool) {
  fs::create_directories(scratch() / "include");
  std::ofstream(scratch() / "include" / "gain.h") << "#pragma once\n#include \"deeper.h\"\n";
  std::ofstream(scratch() / "include" / "deeper.h") << "constexpr float kGain = 3;\n";
  test::let_headers_age();
  const auto run = [&](const std::string& environment) {
    const std::string command = fmt::format(
        "env GRAFT_CACHE=read-write GRAFT_CACHE_DIR='{}' {} '{}' "
        "'#include \"gain.h\"\n__device__ float f(float x) {{ return kGain * x; }}' '{}'",
        folder().string(), environment, GRAFT_CACHE_CHILD, (scratch() / "include").string());
    std::FILE* pipe = ::popen(command.c_str(), "r");
    std::string text;
    for (char buffer[256]; std::fgets(buffer, sizeof buffer, pipe) != nullptr;) text += buffer;
    ::pclose(pipe);
    return text;
  };
  const std::string built = run("");
  EXPECT_TRUE(built.starts_with("built ") && built.find("libnvrtc") != std::string::npos) << built;
  const std::string hidden = "GRAFT_CUDA_PATH=/nonexistent";
  const std::string found = run(hidden);
  EXPECT_EQ(found, "cached " + built.substr(6, built.find(' ', 6) - 6) + "\n");
  EXPECT_EQ(run(""), found) << "a process that finds its kernel must not open the tools, even if they are installed";
  // A change of a nested header's text invalidates the entry. A change of its modification time alone does not.
  fs::last_write_time(scratch() / "include" / "deeper.h", fs::file_time_type::clock::now());
  EXPECT_EQ(run(hidden), found);
  std::ofstream(scratch() / "include" / "deeper.h") << "constexpr float kGain = 4;\n";
  EXPECT_EQ(run(hidden), "ToolMissing\n");
  EXPECT_EQ(run(hidden + " GRAFT_CACHE=forbid-compiling"), "CompilingForbidden\n");
}

TEST_F(CacheTest, ForbiddenCompilingIsAnErrorOfItsOwn) {
  build_with(options());
  Engine engine(options(CachePolicy::ForbidCompiling));
  EXPECT_TRUE(build_with(engine).report().from_cache);
  const Error error = test::error_of([&] { build_with(engine, "[](float x) { return x; }"); });
  EXPECT_EQ(error.code(), ErrorCode::CompilingForbidden);
  EXPECT_NE(error.message().find("callback.cu for sm_90 is in no cache"), std::string::npos) << error.what();
  EXPECT_NE(error.remedy().find("Fill the cache beforehand"), std::string::npos);
  Options host;
  host.routes.required = Route::Host;
  EXPECT_EQ(test::error_of([&] { build_with(engine, kSource, host); }).code(), ErrorCode::CompilingForbidden);
  EXPECT_EQ(test::error_of([&] { build_with(engine, "__device__ const char* f(int) { return __FILE__; }"); }).code(),
            ErrorCode::CompilingForbidden);
  EXPECT_EQ(engine.counters().builds, 0u);
  EXPECT_EQ(engine.counters().misses, 3u) << "each forbidden create counts as a miss";
}

TEST_F(CacheTest, PoliciesDoWhatTheySay) {
  struct Case {
    CachePolicy policy;
    std::uint64_t builds;  // builds that three equal requests cause
    std::size_t entries;
  };
  for (const Case& one : {Case{CachePolicy::Off, 3, 0},
                          {CachePolicy::MemoryOnly, 1, 0},
                          {CachePolicy::ReadOnly, 1, 0},
                          {CachePolicy::ReadWrite, 1, 1}}) {
    Engine engine(options(one.policy));
    for (int i = 0; i < 3; ++i) build_with(engine);
    EXPECT_EQ(engine.counters().builds, one.builds) << static_cast<int>(one.policy);
    EXPECT_EQ(engine.counters().memory_hits, 3 - one.builds) << static_cast<int>(one.policy);
    EXPECT_EQ(entries().size(), one.entries) << static_cast<int>(one.policy);
  }
}

TEST_F(CacheTest, LayersAreReadAndNeverWritten) {
  build_with(options());
  EngineOptions layered = without_tools();
  layered.cache.layers = {{folder()}};
  layered.cache.folder = scratch() / "own";
  Engine engine(layered);
  EXPECT_TRUE(build_with(engine).report().from_cache);
  EXPECT_EQ(engine.counters().layer_hits, 1u);
  EXPECT_FALSE(fs::exists(scratch() / "own"));
}

TEST_F(CacheTest, ADamagedEntryIsBuiltAgainAndSaidSo) {
  const Image built = build_with(options());
  ASSERT_EQ(entries().size(), 1u);
  fs::resize_file(entries()[0], 1000);
  Engine engine(options());
  const Image again = build_with(engine);
  EXPECT_FALSE(again.report().from_cache);
  EXPECT_TRUE(same_bytes(again, built));
  EXPECT_EQ(engine.counters().rejected_entries, 1u);
  EXPECT_NE(notes(again).find("cache: "), std::string::npos);
  EXPECT_NE(notes(again).find("is damaged"), std::string::npos) << notes(again);
  const Image found = build_with(without_tools());
  EXPECT_TRUE(found.report().from_cache);
  EXPECT_EQ(notes(found), notes(built)) << "only the create that met the damaged entry reports it";
}

TEST_F(CacheTest, UnusableFoldersAreOneLineInTheReport) {
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms(0777));
  const Image open = build_with(options());
  EXPECT_NE(notes(open).find("can be written by other users"), std::string::npos) << notes(open);
  EXPECT_EQ(open.report().notes.size(), 1u);
  // The modes of folders that users of a cluster share. The note names the mode and what to do.
  for (const auto& [mode, text] : {std::pair{01777u, "1777"}, {02775u, "2775"}, {0770u, "0770"}}) {
    fs::permissions(folder(), fs::perms(mode));
    const std::string found = notes(build_with(options()));
    EXPECT_NE(found.find(std::string("(its mode is ") + text + "; `chmod go-w`"), std::string::npos) << found;
  }
  fs::permissions(folder(), fs::perms(0700));
  EngineOptions nowhere = options();
  nowhere.cache.folder = "/proc/graft";  // no user can create a folder in /proc
  const Image kept = build_with(nowhere);
  EXPECT_NE(notes(kept).find("/proc/graft cannot be opened"), std::string::npos) << notes(kept);
}

TEST_F(CacheTest, WhatTheKeyCannotTellStaysInMemory) {
  Engine engine(options());
  const Image image = build_with(engine, "__device__ int f(int x) { return x + sizeof(__TIME__); }");
  EXPECT_NE(notes(image).find("kept in memory only"), std::string::npos) << notes(image);
  EXPECT_NE(notes(image).find("__TIME__"), std::string::npos) << notes(image);
  build_with(engine, "__device__ int f(int x) { return x + sizeof(__TIME__); }");
  EXPECT_EQ(engine.counters().memory_hits, 1u);
  EXPECT_TRUE(entries().empty());
}

TEST_F(CacheTest, HostImagesStayInMemory) {
  Options host;
  host.routes.required = Route::Host;
  Engine engine(options());
  const Image image = build_with(engine, kSource, host);
  EXPECT_TRUE(image.report().notes.empty()) << notes(image);
  build_with(engine, kSource, host);
  EXPECT_EQ(engine.counters().memory_hits, 1u);
  EXPECT_TRUE(entries().empty());
}

TEST_F(CacheTest, ExactToolsHaveKernelsOfTheirOwn) {
  EngineOptions exact = options();
  exact.cache.exact_tools = true;
  build_with(options());
  EXPECT_FALSE(build_with(exact).report().from_cache);
  EXPECT_TRUE(build_with(exact).report().from_cache);
  EXPECT_EQ(entries().size(), 2u);
  EngineOptions other_tools = without_tools(CachePolicy::ForbidCompiling);
  other_tools.cache.exact_tools = true;
  EXPECT_EQ(test::error_of([&] { build_with(other_tools); }).code(), ErrorCode::CompilingForbidden);
}

// The entry has the right key and checksum, but its image is no kernel of this key: code for another architecture, a
// header without a kernel, or a kernel of another name. graft must build the kernel anew.
TEST_F(CacheTest, AnEntryWithCodeOfAnotherKernelIsBuiltAnew) {
  const Image good = build_with(options());
  ASSERT_EQ(entries().size(), 1u);
  const std::string file = base::read_file(entries()[0]).value();
  const auto entry = std::get<format::CacheEntry>(families::read_cache_entry(base::as_bytes(file)));
  Engine without_disk(options(CachePolicy::MemoryOnly));
  const Image older = build(without_disk, kSource, Architecture(80));
  KernelSpec renamed = entry.report.kernel;
  renamed.name += "_2";
  for (const base::Bytes& image : {base::Bytes(older.bytes().begin(), older.bytes().end()),
                                   test::lone_header(entry.report.kernel.architecture), test::cubin(0, renamed)}) {
    format::CacheEntry forged = entry;
    forged.image = image;
    ASSERT_TRUE(base::write_file(entries()[0], format::write_cache_entry(forged)));
    Engine engine(options());
    const Image built = build_with(engine);
    EXPECT_FALSE(built.report().from_cache);
    EXPECT_EQ(engine.counters().rejected_entries, 1u);
    EXPECT_TRUE(std::ranges::equal(built.bytes(), good.bytes()));
    EXPECT_TRUE(build_with(options()).report().from_cache) << "the new kernel replaces the entry";
  }
}

// If graft built a kernel by a less preferred route because tools were missing, the cache entry names the tools that
// were there. The entry is used only while the tools are the same, because with other tools graft might build a better
// kernel.
TEST_F(CacheTest, ALesserRoutesEntryIsForTheSameTools) {
  build_with(options());
  ASSERT_EQ(entries().size(), 1u);
  Engine engine(options());
  const std::string state = compile::Toolbox({}, {}, 0).toolkit().state();
  const auto set_tools = [&](const std::string& tools) {
    const std::string file = base::read_file(entries()[0]).value();
    auto entry = std::get<format::CacheEntry>(families::read_cache_entry(base::as_bytes(file)));
    entry.tools = tools;
    ASSERT_TRUE(base::write_file(entries()[0], format::write_cache_entry(entry)));
  };
  set_tools("another machine's tools");
  Engine other(options(CachePolicy::ReadOnly));
  EXPECT_FALSE(build_with(other).report().from_cache);
  EXPECT_EQ(other.counters().rejected_entries, 1u);
  set_tools(state);
  EXPECT_TRUE(build_with(options()).report().from_cache);
  EXPECT_EQ(test::error_of([&] { build_with(without_tools()); }).code(), ErrorCode::ToolMissing);
}

// An entry of another build of graft is used if its recipe is equal: the recipe covers everything in graft that affects
// a kernel. A build with a reworded message or an added file has the same recipe and makes the same kernel.
TEST_F(CacheTest, AnotherBuildsKernelIsTakenWhereItIsMadeOfTheSame) {
  const auto rewrite = [&](const std::string& build, std::optional<std::string> recipe) {
    const std::string file = base::read_file(entries()[0]).value();
    auto entry = std::get<format::CacheEntry>(families::read_cache_entry(base::as_bytes(file)));
    EXPECT_EQ(entry.build, this_build());
    EXPECT_EQ(entry.recipe.size(), 32u);
    entry.build = build;
    entry.recipe = recipe.value_or(entry.recipe);
    ASSERT_TRUE(base::write_file(entries()[0], format::write_cache_entry(entry)));
  };
  build_with(options());
  ASSERT_EQ(entries().size(), 1u);
  const fs::path first = entries()[0];
  rewrite("0.1.0 another", {});
  Engine same(options());
  EXPECT_TRUE(build_with(same).report().from_cache);
  EXPECT_EQ(same.counters().rejected_entries, 0u);

  // An entry with another recipe is not used. The new kernel is stored in a second file, so each build of graft keeps
  // its own entry.
  fs::remove(first);
  build_with(options());
  rewrite("0.1.0 another", "00112233445566778899aabbccddeeff");
  const std::string theirs = base::read_file(first).value();
  Engine other(options());
  EXPECT_FALSE(build_with(other).report().from_cache);
  EXPECT_EQ(other.counters().builds, 1u);  // counters() waits until the kernel is stored
  EXPECT_EQ(entries().size(), 2u);
  EXPECT_EQ(base::read_file(first), theirs);
  Engine again(options());
  EXPECT_TRUE(build_with(again).report().from_cache);
  EXPECT_EQ(again.counters().builds, 0u);

  // The entry has a tuning decision that a later version of graft added. This version leaves the entry unchanged and
  // stores its own kernel in a second file.
  for (const fs::path& entry : entries()) fs::remove(entry);
  build_with(options());
  const std::string file = base::read_file(first).value();
  auto later = std::get<format::CacheEntry>(families::read_cache_entry(base::as_bytes(file)));
  later.build = "0.2.0 later";
  later.report.kernel.tuning.set("later", 1);
  ASSERT_TRUE(base::write_file(first, format::write_cache_entry(later)));
  const std::string laters = base::read_file(first).value();
  EXPECT_FALSE(build_with(options()).report().from_cache);
  EXPECT_EQ(base::read_file(first), laters);
  EXPECT_TRUE(build_with(options()).report().from_cache);

  // An entry whose fields `build` and `recipe` (the hash of everything that graft itself adds to a callback) are both
  // empty is never used.
  for (const fs::path& entry : entries()) fs::remove(entry);
  build_with(options());
  rewrite("", "");
  EXPECT_FALSE(build_with(options()).report().from_cache);
}

TEST_F(CacheTest, EqualRequestsOfManyNamesShareAnEntry) {
  build_with(options(), Callback::source(kSource, "/one/place.cu"));
  EXPECT_TRUE(build_with(without_tools(), Callback::source(kSource, "/another/place.cu")).report().from_cache);
}

TEST_F(CacheTest, ExportedKernelsServeAnotherMachine) {
  build_with(options());
  const auto store_at = [](const fs::path& folder) { return store::Store({.folder = folder, .layers = {}}); };
  std::vector<std::string> problems;
  const store::Store here = store_at(folder());
  const base::Bytes file = store::export_entries(here, store::list_entries(here, problems)).file;
  store::Store other = store_at(scratch() / "other");
  EXPECT_EQ(store::import_entries(other, file).taken, 1u);
  EngineOptions there = without_tools();
  there.cache.folder = scratch() / "other";
  EXPECT_TRUE(build_with(there).report().from_cache);
}

TEST_F(CacheTest, ExplainsWhyARequestWasNotFound) {
  build_with(options());
  Engine engine(options());
  Options options;
  options.max_registers = 32;
  const plan::DiskKey key = Engine::Impl::of(engine)->cache().key_of({{kSource}, Architecture(90), options});
  std::vector<std::string> problems;
  const auto entries = store::list_entries(store::Store({.folder = folder(), .layers = {}}), problems);
  const auto comparisons = store::explain(entries, key.text);
  ASSERT_EQ(comparisons.size(), 1u);
  const std::vector<format::KeyDifference> expected = {{"max_registers", "32", std::nullopt}};
  EXPECT_EQ(comparisons[0].differences, expected);
}

TEST_F(CacheTest, AsyncTransformsRunOnABoundedPool) {
  EngineOptions few = options(CachePolicy::MemoryOnly);
  few.threads = 2;
  Options host;
  host.routes.required = Route::Host;
  std::vector<std::shared_future<Transform>> transforms;
  std::shared_future<Transform> failing;
  {
    Engine engine(few);
    for (int i = 0; i < 4; ++i)
      transforms.push_back(Transform::create_async(
          engine, fmt::format("__device__ float f(float x) {{ return {}.0f * x; }}", i % 2), host));
    failing = Transform::create_async(engine, "__device__ float f(float x) { return y; }", host);
  }  // the engine's destructor waits until all of these creates have ended
  for (std::size_t i = 0; i < transforms.size(); ++i) {
    const std::vector<float> in = {1, 2, 3};
    std::vector<float> out(3);
    transforms[i].get().execute(graft::host, in, out);
    EXPECT_EQ(out[2], 3.0f * static_cast<float>(i % 2));
  }
  EXPECT_EQ(test::error_of([&] { failing.get(); }).code(), ErrorCode::CompileFailed);
}

TEST_F(CacheTest, ATransformMadeBeforeIsFoundAtOnce) {
  Options host;
  host.routes.required = Route::Host;
  Engine engine(options(CachePolicy::MemoryOnly));
  const Callback callback = kSource;
  Transform::create(engine, callback, host);
  for (int i = 0; i < 3; ++i) Transform::create(engine, callback, host);
  Transform::create(engine, kSource, host);  // equal source text in another Callback object
  EXPECT_EQ(engine.counters().memory_hits, 4u);
  EXPECT_EQ(engine.counters().loads, 1u);
  EXPECT_EQ(engine.release_unused(), 1u);
  Transform::create(engine, callback.with_entry("twice"), host);
  EXPECT_EQ(engine.counters().builds, 2u);
}

TEST_F(CacheTest, TransformsOutliveTheirEngine) {
  Options host;
  host.routes.required = Route::Host;
  auto engine = std::make_unique<Engine>(options(CachePolicy::MemoryOnly));
  const Transform transform = Transform::create(*engine, kSource, host);
  engine.reset();
  const std::vector<float> in = {4};
  std::vector<float> out(1);
  transform.execute(graft::host, in, out);
  EXPECT_EQ(out[0], 8.0f);
}

}  // namespace
}  // namespace graft
