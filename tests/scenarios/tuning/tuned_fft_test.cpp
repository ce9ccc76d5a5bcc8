// Tests that engines take the plans of FFTs from tuning files, as tuning_test.cpp does for transforms, and that kernels
// which were made with a file can be loaded.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

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

format::TuningFile plans_of_double() {
  return {.gpu = kGpu,
          .architecture = 90,
          .further = {{"fft",
                       {R"({"length": 64, "precision": "f32", "work": "complex", "factors": [], "radices": [[8, 8]],
                            "threads": [8], "ffts": [4], "resident_blocks": [], "splits_complex": false})",
                        R"({"length": 64, "precision": "f32", "work": "real inverse", "factors": [],
                            "radices": [[8, 4]], "threads": [4], "ffts": [16], "resident_blocks": [2],
                            "splits_complex": true})"}}}};
}

class TuningOfFfts : public TunedEngines {
 protected:
  // "yes no" for a kernel by the file's plan and one by graft's own.
  static std::string tuned(const std::vector<Report>& reports) {
    std::string text;
    for (const Report& report : reports) {
      const bool is_tuned = report.policy_reason.find(kTuned) != std::string::npos;
      const std::string words = report.to_text();
      const bool has_plan = words.find("8x8, 8 threads x 4 FFTs") != std::string::npos ||
                            words.find("8x4, 4 threads x 16 FFTs") != std::string::npos;
      EXPECT_EQ(is_tuned, has_plan) << words;
      text += std::string(text.empty() ? "" : " ") + (is_tuned ? "yes" : "no");
    }
    return text;
  }
  static std::string created(Engine& engine, const FftPlan& plan, const Options& options = {}) {
    return tuned(Fft::create(engine, plan, {}, options).reports());
  }
  static std::vector<Image> built(Engine& engine, Architecture architecture, const Options& options = {},
                                  const FftPlan& plan = {.length = 64}) {
    return build(engine, plan, {}, architecture, options);
  }
  static std::string tuned(const std::vector<Image>& images) {
    std::vector<Report> reports;
    for (const Image& image : images) reports.push_back(image.report());
    return tuned(reports);
  }
};

TEST_F(TuningOfFfts, ADevicesFileInTheCacheIsTaken) {
  put(plans_of_double());
  Engine engine(options());
  EXPECT_EQ(created(engine, {.length = 64}), "yes yes");
  EXPECT_EQ(created(engine, {.length = 64, .kind = FftKind::Real}), "no yes");
  EXPECT_EQ(created(engine, {.length = 64, .directions = FftDirections::Forward, .has_strides = true}), "yes no");
  EXPECT_EQ(created(engine, {.length = 32}), "no no");
  EXPECT_EQ(created(engine, {.directions = FftDirections::Forward, .shape = {64, 64}}), "no");
  EXPECT_EQ(tuned(built(engine, Architecture(90))), "no no") << "graft::build knows no device";
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(TuningOfFfts, KernelsOfBothPlansAreInTheCache) {
  EXPECT_EQ(created(*std::make_unique<Engine>(options()), {.length = 64}), "no no");
  put(plans_of_double());
  {
    Engine engine(options());
    EXPECT_EQ(created(engine, {.length = 64}), "yes yes");
    EXPECT_EQ(engine.counters().builds, 2U);
    Options shipped;
    shipped.shipped_tuning = true;
    EXPECT_EQ(created(engine, {.length = 64}, shipped), "no no");
    EXPECT_EQ(engine.counters().builds, 2U) << "the kernels of before are in the cache";
  }
  EXPECT_EQ(created(*std::make_unique<Engine>(options()), {.length = 64}), "yes yes");
  fs::remove(cache() / store::kTuningFolder / format::tuning_file_name(kGpu));
  Engine engine(options());
  EXPECT_EQ(created(engine, {.length = 64}), "no no") << "without the file, everything is as before";
  EXPECT_EQ(engine.counters().builds, 0U);
}

TEST_F(TuningOfFfts, WhatWasBuiltAheadWithANamedFileIsLoaded) {
  name(format::write_tuning_file(plans_of_double()));
  Engine engine(options(true));
  std::vector<Image> images = built(engine, Architecture(90));
  EXPECT_EQ(tuned(images), "yes yes");
  Options shipped;
  shipped.shipped_tuning = true;
  EXPECT_EQ(tuned(built(engine, Architecture(90), shipped)), "no no");
  const std::vector<Image> older = built(engine, Architecture(80));
  EXPECT_EQ(tuned(older), "no no") << "the file is of another architecture";

  Engine plain(options());
  EXPECT_EQ(tuned(Fft::load(plain, images).reports()), "yes yes");
  EXPECT_EQ(tuned(Fft::load(plain, older.size() == 2 ? built(plain, Architecture(90)) : images).reports()), "no no");
  images.insert(images.end(), older.begin(), older.end());
  const Fft loaded = Fft::load(plain, images);
  EXPECT_EQ(tuned(loaded.reports()), "yes yes") << "each architecture has the kernels that were made for it";
  EXPECT_EQ(loaded.plan().length, 64);

  // The kernels of two tunings are not one FFT.
  std::vector<Image> mixed = built(engine, Architecture(90));
  mixed.back() = built(plain, Architecture(90)).back();
  const Error error = error_of([&] { Fft::load(plain, mixed); });
  EXPECT_EQ(error.code(), ErrorCode::ImageRefused);
  EXPECT_THAT(error.message(), HasSubstr("do not belong together"));
}

TEST_F(TuningOfFfts, PacksKeepGraftsOwnPlans) {
  put(plans_of_double());
  Engine engine(options());
  const std::vector<std::byte> pack = precompile(engine, FftPlan{.length = 64}, {}, {Architecture(90)});
  EXPECT_EQ(tuned(Fft::load(engine, pack).reports()), "no no");
}

TEST_F(TuningOfFfts, ThePlanChangesNoCallback) {
  put(plans_of_double());
  Engine engine(options());
  const FftCallbacks callbacks = {.store = "[](float2 z) { return z.x * z.x + z.y * z.y; }"};
  const Fft fft = Fft::create(engine, {.length = 64, .directions = FftDirections::Forward}, callbacks);
  EXPECT_EQ(tuned(fft.reports()), "yes");
  EXPECT_EQ(fft.reports().front().kernel.signature.text(), "float(float2)");
}

TEST_F(TuningOfFfts, TheClosedModeTakesTheUsersOwnFile) {
  put(plans_of_double());
  EngineOptions closed = options();
  closed.program = GRAFT_PROGRAM;
  Engine engine(closed);
  Options of_stranger;
  of_stranger.closed.emplace();
  EXPECT_EQ(created(engine, {.length = 64, .directions = FftDirections::Forward}, of_stranger), "yes");
}

TEST_F(TuningOfFfts, AFileWithARowThatNoKernelCanHaveIsTold) {
  const auto expect_told = [&](const format::TuningFile& file, const std::string& words) {
    put(file);
    problems_.clear();
    EXPECT_EQ(created(*std::make_unique<Engine>(options()), {.length = 64}), "no no");
    ASSERT_EQ(problems_.size(), 1U);
    EXPECT_THAT(problems_.front(), HasSubstr(words));
  };
  format::TuningFile file = plans_of_double();
  std::string& row = file.further["fft"].front();
  const std::string good = row;
  row.replace(row.find("\"threads\": [8]"), 14, "\"threads\": [1]");
  expect_told(file, "a tuning that no kernel can have: row 1 of `fft` is no plan of sm_90");
  row = good;
  row.replace(row.find("\"ffts\": [4]"), 11, "\"ffts\": [-1]");
  expect_told(file, "a number in `ffts` of row 1 of `fft` is no integer from 1 to 1024");
  row = good;
  file.further["reduce"];
  expect_told(file, "it has a member that graft does not know");
  file.further.erase("reduce");
  file.further["scan"];
  expect_told(file, "it has a member that graft does not know");
  file.further.erase("scan");
  put(file);
  EXPECT_EQ(created(*std::make_unique<Engine>(options()), {.length = 64}), "yes yes");
}

TEST_F(TuningOfFfts, AFileThatFftsCannotHaveServesTransforms) {
  format::TuningFile file = plans_of_double();
  file.elementwise = {{{.inputs = {4}, .outputs = {4}}, {.vector_width = 4, .vectors_per_thread = 2}}};
  std::string& row = file.further["fft"].front();
  row.replace(row.find("\"threads\": [8]"), 14, "\"threads\": [1]");
  put(file);
  Engine engine(options());
  EXPECT_THAT(Transform::create(engine, "__device__ float twice(float x) { return 2 * x; }").report().policy_reason,
              HasSubstr(kTuned));
  EXPECT_THAT(problems_, IsEmpty());
  EXPECT_EQ(created(engine, {.length = 64}), "no no");
  EXPECT_EQ(created(engine, {.length = 128}), "no no");
  EXPECT_EQ(problems_.size(), 1U) << "it is told once";
}

}  // namespace
}  // namespace graft::test
