// Runs `graft tune` with a test double of the driver, on which a launch takes as long as it has thread blocks. So
// larger tiles are faster, and the whole way of a tuning can be followed: measured, kept, found by engines, carried,
// deleted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"
#include "format/tuning_file.hpp"
#include "graft/graft.hpp"

namespace graft::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kFileOfDouble = "own-cache/tuning/Test_double_1024.json";

class TuneProgram : public testing::Test {
 protected:
  Result run(const std::string& words, bool times_blocks = true) const {
    std::string environment = "LD_LIBRARY_PATH=" GRAFT_FAKE_DRIVER_FOLDER " GRAFT_FAKE_DRIVER_VERSION=13090";
    if (times_blocks) environment += " GRAFT_FAKE_DRIVER_TIMES_BLOCKS=1";
    return graft_.run(words, environment);
  }
  json tuning_in_doctor() const { return json::parse(run("doctor --json").out).at("tuning").at(0); }

  Program graft_;
};

TEST_F(TuneProgram, AFasterTuningIsKeptAndFound) {
  EXPECT_FALSE(tuning_in_doctor().at("measured").get<bool>());
  const Result tuned = run("tune --only 'f32 gelu' --samples 5 --json");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  const json result = json::parse(tuned.out);
  EXPECT_EQ(result.at("gpu"), "Test double");
  const json cell = result.at("cells").at(0);
  EXPECT_EQ(cell.at("rules").at("vectors_per_thread"), 2);
  EXPECT_EQ(cell.at("tuned").at("vectors_per_thread"), 4);
  EXPECT_EQ(cell.at("tuned").at("block_threads"), 256);
  for (const json& row : cell.at("rows"))
    EXPECT_LE(row.at("tuned").at("median_us").get<double>(), row.at("rules").at("median_us").get<double>());
  EXPECT_GE(cell.at("rows").size(), 4u);

  const auto file = format::read_tuning_file(graft_.read(kFileOfDouble));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->elementwise.size(), 1u);
  EXPECT_EQ(file->elementwise[0].kind, (format::MeasuredKind{.inputs = {4}, .outputs = {4}, .long_math = true}));
  EXPECT_EQ(file->elementwise[0].policy.vectors_per_thread, 4);
  EXPECT_TRUE(tuning_in_doctor().at("measured").get<bool>());
  EXPECT_THAT(run("doctor").out, HasSubstr("tuning of device 0: measured on this GPU, 1 kinds of callbacks"));
  EXPECT_EQ(run("tune --export shared.json").exit_code, 0);
  EXPECT_EQ(graft_.read("shared.json"), graft_.read(kFileOfDouble));

  EXPECT_EQ(graft_.shell(std::string("rm ") + kFileOfDouble).exit_code, 0);
  EXPECT_FALSE(tuning_in_doctor().at("measured").get<bool>());
  EXPECT_EQ(run("tune --export shared.json").exit_code, 1);
  EXPECT_EQ(run("tune --import shared.json").exit_code, 0);
  EXPECT_TRUE(tuning_in_doctor().at("measured").get<bool>());
}

TEST_F(TuneProgram, WhereNothingIsFasterTheFileIsEmpty) {
  const Result tuned = run("tune --only 'f64 fill' --samples 5 -o here.json", false);
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_EQ(tuned.out,
            "0 of 1 kinds of callbacks are faster on Test double than with graft's own rules; written to here.json\n");
  EXPECT_FALSE(graft_.has("own-cache/tuning"));
  const auto file = format::read_tuning_file(graft_.read("here.json"));
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_TRUE(file->elementwise.empty());
}

TEST_F(TuneProgram, TheTableNamesEachKindThatIsFaster) {
  const Result tuned = run("tune --only 'f64 fill' --samples 5");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  EXPECT_THAT(tuned.out, HasSubstr("f64 fill (nothing to 8 bytes): "));
  EXPECT_THAT(tuned.out, HasSubstr("; the rules have 2 elements x 2 per thread, 256 threads per block\n"));
  EXPECT_THAT(tuned.out, HasSubstr("1 of 1 kinds of callbacks are faster on Test double"));
  EXPECT_THAT(tuned.out, Not(HasSubstr("nan")));
  EXPECT_TRUE(graft_.has(kFileOfDouble));
}

// On this device, a plan with more FFTs in a thread block is faster.
TEST_F(TuneProgram, AFasterPlanIsKeptAndFound) {
  const Result tuned = run("tune --fft 3 --only 'fft 3 f32' --skip filter --samples 5 --json");
  ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
  const json result = json::parse(tuned.out), plan = result.at("further").at("fft").at(0);
  EXPECT_EQ(result.at("cells").size(), 0U);
  EXPECT_EQ(result.at("further").at("fft").size(), 1U);
  EXPECT_EQ(plan.at("name"), "fft 3 f32");
  ASSERT_TRUE(plan.at("tuned").is_object()) << plan;
  EXPECT_GE(plan.at("tuned").at("ffts").at(0), 256);
  EXPECT_EQ(plan.at("left_out"), json::array());
  EXPECT_EQ(plan.at("rows").size(), 4U) << "two uses, with a small and a large batch";
  for (const json& row : plan.at("rows"))
    EXPECT_LE(row.at("tuned").at("median_us").get<double>(), row.at("rules").at("median_us").get<double>());
  EXPECT_THAT(plan.at("tuned_plan").get<std::string>(), HasSubstr("tuned on this GPU by graft tune"));

  const auto file = format::read_tuning_file(graft_.read(kFileOfDouble));
  ASSERT_TRUE(file) << file.error().message;
  ASSERT_EQ(file->further.at("fft").size(), 1U);
  EXPECT_EQ(json::parse(file->further.at("fft").front()), plan.at("tuned"));
  EXPECT_THAT(run("doctor").out, HasSubstr("measured on this GPU, 0 kinds of callbacks, 1 rows of fft"));

  graft_.write("own.json", graft_.read(kFileOfDouble));
  EngineOptions options;
  options.tuning_file = graft_.path("own.json");
  options.cache.policy = CachePolicy::MemoryOnly;
  Engine engine(options);
  EXPECT_THAT(build(engine, FftPlan{.length = 3}, {}, Architecture(90)).front().report().to_text(),
              HasSubstr("tuned on this GPU by graft tune"));
}

TEST_F(TuneProgram, ADamagedFileIsNamed) {
  ASSERT_EQ(run("tune --only 'f64 fill' --samples 5").exit_code, 0);
  graft_.write(kFileOfDouble, "{");
  EXPECT_THAT(run("doctor").out, HasSubstr("tuning of device 0: graft's own rules; not used: it is no JSON"));
  const Result exported = run("tune --export there.json");
  EXPECT_EQ(exported.exit_code, 1);
  EXPECT_THAT(exported.err, HasSubstr("the tuning file of Test double cannot be used: it is no JSON"));
  EXPECT_FALSE(graft_.has("there.json"));
}

}  // namespace
}  // namespace graft::test
