// Tests that `graft warm` fills a cache for GPUs that were measured: an engine on such a GPU, and one on another, finds
// its kernels there. The GPU is that of a test double of the driver in this process; the program sees none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/read_file.hpp"
#include "cli/program.hpp"
#include "format/tuning_file.hpp"
#include "graft/graft.hpp"
#include "scenarios/tuning/tuned_engines.hpp"

namespace graft::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kHalf = "__device__ float halved(float x) { return x / 2; }";
constexpr const char* kHalfLine = "'__device__ float halved(float x) { return x / 2; }' --arch 90\n";

format::TuningFile file_of(const format::TunedGpu& gpu) {
  return {.gpu = gpu,
          .architecture = 90,
          .elementwise = {{{.inputs = {4}, .outputs = {4}},
                           {.vector_width = 4, .vectors_per_thread = 2, .block_threads = 64, .single_below = 1 << 20}}},
          .further = {{"fft",
                       {R"({"length": 64, "precision": "f32", "work": "complex", "factors": [], "radices": [[8, 8]],)"
                        R"("threads": [8], "ffts": [4], "resident_blocks": [], "splits_complex": false})"}}}};
}

class WarmProgram : public testing::Test {
 protected:
  std::string file_name() const { return "own-cache/tuning/" + format::tuning_file_name(kGpu); }
  void import_tuning(const format::TuningFile& file, const std::string& environment = "") const {
    graft_.write("imported.json", format::write_tuning_file(file));
    ASSERT_EQ(graft_.run("tune --import imported.json", environment).exit_code, 0);
  }
  static bool is_tuned(const Report& report) { return report.policy_reason.find(kTuned) != std::string::npos; }
  // What a new engine finds: a transform, and an FFT. It may compile, but has nothing to.
  void expect_all_cached(bool tuned) const {
    Engine engine(graft_.engine_options());
    const Report transform = Transform::create(engine, kHalf).report();
    const Report fft = Fft::create(engine, {.length = 64, .directions = FftDirections::Forward}, {}).reports().front();
    for (const Report& report : {transform, fft}) {
      EXPECT_EQ(is_tuned(report), tuned) << report.to_text();
      EXPECT_TRUE(report.from_cache) << report.to_text();
    }
    EXPECT_EQ(engine.counters().builds, 0U);
  }

  Program graft_;
};

TEST_F(WarmProgram, EnginesFindTheKernelsOfAMeasuredGpuAndThoseOfOthers) {
  graft_.write("list.txt", std::string(kHalfLine) +
                               "'__device__ float halved(float x) { return x / 2; }' --arch 80\n"
                               "'[](double x) { return 2 * x; }' --arch 90\n"
                               "--fft 64 --directions forward --arch 90\n");
  import_tuning(file_of(kGpu));
  EXPECT_EQ(graft_.run("warm list.txt").out, "built 6 kernels; already cached: 0; tuned for Test double: 2\n");
  EXPECT_EQ(graft_.run("warm list.txt").out, "built 0 kernels; already cached: 6; tuned for Test double: 2\n");
  expect_all_cached(true);
  EngineOptions forbidden = graft_.engine_options();
  forbidden.cache.policy = CachePolicy::ForbidCompiling;
  Engine without_compilers(forbidden);
  EXPECT_FALSE(is_tuned(Transform::create(without_compilers, kHalf).report()));
  fs::remove(graft_.path(file_name()));
  expect_all_cached(false);
  EXPECT_EQ(graft_.run("warm list.txt").out, "built 0 kernels; already cached: 4\n");
}

// The plans of a real GPU, of which one has other factors than graft's own.
TEST_F(WarmProgram, AllKernelsOfATunedPlanAreBuilt) {
  const auto known =
      format::read_tuning_file(base::read_file(GRAFT_SOURCE_DIR "/bench/tuning/NVIDIA_H200_3201000.json").value_or(""));
  ASSERT_TRUE(known) << known.error().message;
  format::TuningFile file = *known;
  file.gpu = kGpu;
  import_tuning(file);
  graft_.write("list.txt", "--fft 65536 --directions forward --arch 90\n--fft 1024 --kind real --arch 90\n");
  const Result run = graft_.run("warm list.txt");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("; tuned for Test double: 4\n"));
  Engine engine(graft_.engine_options());
  const Fft complex = Fft::create(engine, {.length = 65536, .directions = FftDirections::Forward});
  const Fft real = Fft::create(engine, {.length = 1024, .kind = FftKind::Real});
  std::vector<Report> reports(complex.reports());
  reports.insert(reports.end(), real.reports().begin(), real.reports().end());
  EXPECT_EQ(reports.size(), 4U);
  for (const Report& report : reports) EXPECT_TRUE(is_tuned(report) && report.from_cache) << report.to_text();
  EXPECT_EQ(engine.counters().builds, 0U);
}

TEST_F(WarmProgram, EachFileOfTheArchitectureHasItsKernels) {
  import_tuning(file_of(kGpu));
  format::TuningFile other = file_of({"Another \x1b[31m", 1});
  other.elementwise.front().policy.block_threads = 128;
  import_tuning(other, "GRAFT_CACHE_DIR=$PWD/layer");
  format::TuningFile of_80 = file_of({"An A100", 1});
  of_80.architecture = 80;
  import_tuning(of_80);
  graft_.write("list.txt", kHalfLine);
  const Result run = graft_.run("warm list.txt --json", "GRAFT_CACHE_PATH=$PWD/layer");
  const json kernels = json::parse(run.out).at("kernels");
  ASSERT_EQ(kernels.size(), 3U);
  EXPECT_FALSE(kernels.at(0).contains("tuned_for"));
  EXPECT_EQ(kernels.at(1).at("tuned_for"), "Another \x1b[31m");
  EXPECT_EQ(kernels.at(2).at("tuned_for"), "Test double");
  EXPECT_EQ(graft_.run("warm list.txt", "GRAFT_CACHE_PATH=$PWD/layer").out,
            "built 0 kernels; already cached: 3; tuned for Another \\x1b[31m: 1; tuned for Test double: 1\n");
}

TEST_F(WarmProgram, ANamedFileComesInPlaceOfThoseInTheCache) {
  import_tuning(file_of(kGpu));
  format::TuningFile named = file_of({"Another", 1});
  named.elementwise.front().policy.block_threads = 128;
  graft_.write("named.json", format::write_tuning_file(named));
  fs::create_directory(graft_.path("lists"));
  graft_.write("lists/list.txt", kHalfLine);
  EXPECT_EQ(graft_.run("warm lists/list.txt --tuning-file named.json").out,
            "built 2 kernels; already cached: 0; tuned for Another: 1\n");
  EngineOptions of_named = graft_.engine_options();
  of_named.tuning_file = graft_.path("named.json");
  Engine engine(of_named);
  const Report report = build(engine, kHalf, Architecture(90)).report();
  EXPECT_TRUE(report.from_cache && is_tuned(report)) << report.to_text();
  EXPECT_EQ(report.kernel.tuning["block_threads"], 128);

  graft_.write("lists/of_80.txt", "'[](float x) { return x / 2; }' --arch 80\n");
  const Result unused = graft_.run("warm lists/of_80.txt --tuning-file named.json");
  EXPECT_EQ(unused.exit_code, 0);
  EXPECT_EQ(unused.out, "built 1 kernel; already cached: 0\n");
  EXPECT_THAT(unused.err, HasSubstr("named.json changes no kernel of the list"));
}

TEST_F(WarmProgram, ANamedFileThatCannotBeUsedIsAnError) {
  graft_.write("list.txt", kHalfLine);
  graft_.write("bad.json", "{\"graft_tuning\": 1}");
  format::TuningFile impossible = file_of(kGpu);
  impossible.elementwise.front().kind = {.inputs = {512}, .outputs = {512}};
  impossible.elementwise.front().policy.vector_width = 16;
  graft_.write("impossible.json", format::write_tuning_file(impossible));
  graft_.write("endless.json", "");
  fs::remove(graft_.path("endless.json"));
  fs::create_symlink("/dev/zero", graft_.path("endless.json"));
  for (const char* name : {"bad.json", "impossible.json", "missing.json", ".", "endless.json"}) {
    const Result run = graft_.run(std::string("warm list.txt --tuning-file ") + name);
    EXPECT_EQ(run.exit_code, 1) << name;
    EXPECT_EQ(run.out, "") << name;
    EXPECT_THAT(run.err, HasSubstr(std::string(name) + " of --tuning-file cannot be used: ")) << name;
    EXPECT_THAT(run.err, HasSubstr("graft tune, or leave --tuning-file out.\n")) << name;
  }
  EXPECT_EQ(graft_.run("warm list.txt --tuning-file ''").exit_code, 2);
  EXPECT_EQ(graft_.run("warm list.txt --tunning-file bad.json").exit_code, 2);
}

// Engines leave such a file out, and so does warm.
TEST_F(WarmProgram, AFileInTheCacheThatEnginesDoNotTakeIsTold) {
  graft_.write("list.txt", kHalfLine);
  const auto expect_told = [&](const std::string& words) {
    const Result run = graft_.run("warm list.txt");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_THAT(run.out, testing::EndsWith("already cached: 1\n")) << words;
    EXPECT_THAT(run.err, HasSubstr(words));
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  };
  EXPECT_THAT(graft_.run("warm list.txt").err, IsEmpty());
  import_tuning(file_of(kGpu));
  const fs::path file = graft_.path(file_name());
  fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
  expect_told("can be written by other users");
  fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(file.parent_path(), fs::perms::all);
  expect_told("can be written by other users");
  fs::permissions(file.parent_path(), fs::perms::owner_all);
  fs::rename(file, file.parent_path() / "h200.json");
  expect_told("engines look for the tuning of its GPU under the name Test_double_1024.json");
  fs::remove(file.parent_path() / "h200.json");
  graft_.write(file_name(), "{");
  expect_told("it is no JSON of a tuning file");
  if (::geteuid() != 0) return;  // only root can give a file away
  import_tuning(file_of(kGpu));
  ASSERT_EQ(::chown(file.c_str(), 65534, static_cast<gid_t>(-1)), 0);
  expect_told("belongs to another user");
}

TEST_F(WarmProgram, ACallbackThatFailsIsToldOnce) {
  import_tuning(file_of(kGpu));
  graft_.write("list.txt", "'__device__ float f(float x) { return y; }' --arch 90\nmissing.cu --arch 90\n");
  const Result run = graft_.run("warm list.txt");
  EXPECT_EQ(run.out, "built 0 kernels; already cached: 0\n");
  EXPECT_THAT(run.err, HasSubstr("graft: 2 of 2 failed\n"));
}

}  // namespace
}  // namespace graft::test
