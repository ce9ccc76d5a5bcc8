// Tests `graft tune` as far as it needs no GPU: the list of callbacks, how a tuning is chosen from times, files that
// are imported, and refusals. tests/cli/tune_on_gpu.py measures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/bench/element_layouts.hpp"
#include "cli/bench/measurement.hpp"
#include "cli/fft/plan_tuner.hpp"
#include "cli/program.hpp"
#include "cli/tune/tune_cells.hpp"
#include "cli/tune/tune_choice.hpp"
#include "families/elementwise/measured.hpp"
#include "graft/graft.hpp"
#include "toolchain/driver.hpp"

namespace graft::cli {
namespace {

using nlohmann::json;
using test::Program;
using test::Result;
using testing::HasSubstr;
using testing::IsEmpty;

// Times that spread by one hundredth of the median.
base::Spread times_around(double median) {
  return {
      .min = median * 0.98, .lower = median * 0.995, .median = median, .upper = median * 1.005, .max = median * 1.1};
}
TuneTimes times_of_calls(const std::vector<double>& medians) {
  TuneTimes times;
  for (const double median : medians) times.push_back(times_around(median));
  return times;
}

TEST(TuneCells, AreKindsThatAnEngineFinds) {
  std::set<format::MeasuredKind> kinds;
  std::set<std::string> names;
  for (const TuneCell& cell : tune_cells()) {
    EXPECT_TRUE(kinds.insert(kind_of(cell)).second) << cell.name << ": " << text_of(kind_of(cell));
    EXPECT_TRUE(names.insert(cell.name).second) << cell.name;
    EXPECT_FALSE(kind_of(cell).outputs.empty()) << cell.name;
  }
  EXPECT_GE(kinds.size(), 30u);
  EXPECT_TRUE(kinds.contains({.inputs = {2}, .outputs = {2}, .long_math = true}));
  EXPECT_TRUE(kinds.contains({.inputs = {1, 1}, .outputs = {1}, .short_integers = true}));
  EXPECT_TRUE(kinds.contains({.inputs = {}, .outputs = {4}}));
}

TEST(TuneCells, HaveKernelsWithOtherTilesThanTheRules) {
  const auto f16_gelu = std::ranges::find(tune_cells(), "f16 gelu", &TuneCell::name);
  ASSERT_NE(f16_gelu, tune_cells().end());
  Options options;
  options.measured = MeasuredPolicy{.vector_width = 4, .vectors_per_thread = 2, .block_threads = 128};
  const Report report = build(Callback(f16_gelu->source), Architecture(90), options).report();
  EXPECT_EQ(report.kernel.tuning["vector_width"], 4);
  EXPECT_EQ(report.kernel.tuning["vectors_per_thread"], 2);
  EXPECT_EQ(report.kernel.tuning["block_threads"], 128);
}

TEST(TuneChoice, ATuningMustBeSlowerNowhereAndFasterSomewhere) {
  const TuneTimes rules = times_of_calls({1, 2, 4});
  EXPECT_FALSE(is_improvement(rules, rules));
  EXPECT_TRUE(is_improvement(rules, times_of_calls({1, 2, 3.8})));
  EXPECT_TRUE(is_improvement(rules, times_of_calls({1.005, 1.9, 4})));
  EXPECT_FALSE(is_improvement(rules, times_of_calls({1.02, 1, 1}))) << "the fewest elements are slower";
  EXPECT_FALSE(is_improvement(rules, times_of_calls({1, 2, 3.97}))) << "it is within the spread";
}

TEST(TuneChoice, ANanIsNoImprovement) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(is_improvement(times_of_calls({1, 2}), times_of_calls({nan, 1})));
  EXPECT_FALSE(is_improvement(times_of_calls({1, 2}), times_of_calls({0.5, nan})));
  EXPECT_FALSE(is_improvement(times_of_calls({nan, nan}), times_of_calls({1, 2})));
}

TEST(TuneChoice, AGainBelowAHundredthIsNone) {
  TuneTimes exact = {{.min = 1, .lower = 1, .median = 1, .upper = 1, .max = 1}};
  TuneTimes better = {{.min = 0.995, .lower = 0.995, .median = 0.995, .upper = 0.995, .max = 0.995}};
  EXPECT_FALSE(is_improvement(exact, better));
  EXPECT_TRUE(is_slower(exact[0], better[0]));
}

TEST(TuneChoice, TilesOfOneVectorServeFewElements) {
  const std::vector<std::uint64_t> counts = {1 << 16, 1 << 18, 1 << 20, 1 << 22};
  const TuneTimes rules = times_of_calls({1, 2, 4, 8});
  const MeasuredPolicy single{.vector_width = 4}, several{.vector_width = 4, .vectors_per_thread = 2},
      bad{.vector_width = 4, .vectors_per_thread = 4}, half{.vector_width = 2};
  const std::vector<TuneCandidate> candidates = {{single, rules},
                                                 {several, times_of_calls({1.5, 2.5, 3.6, 7})},
                                                 {bad, times_of_calls({1, 2, 4, 9})},
                                                 {half, times_of_calls({1, 1.99, 4, 8})}};
  const std::vector<MeasuredPolicy> found = promising(rules, candidates, counts);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (MeasuredPolicy{.vector_width = 4, .vectors_per_thread = 2, .single_below = 1 << 20}));
  EXPECT_EQ(found[1], half);
}

TEST(TuneChoice, TriesOtherShapesThanThatOfTheRules) {
  const MeasuredPolicy rules{.vector_width = 4};
  const auto all = tile_shapes(rules, [](const MeasuredPolicy&) { return true; });
  EXPECT_EQ(all.size(), 6u * 3 - 1) << "4 x 1 and 2, 2 x 1, 2 and 4, 8 x 1, each with three numbers of threads";
  EXPECT_EQ(std::ranges::count(all, rules), 0);
  EXPECT_THAT(tile_shapes(rules, [](const MeasuredPolicy&) { return false; }), IsEmpty());
  for (const MeasuredPolicy& shape : tile_shapes({.vector_width = 1}, [](const MeasuredPolicy&) { return true; }))
    EXPECT_TRUE(shape.vector_width == 1 || shape.vector_width == 2);
  for (const MeasuredPolicy& shape : tile_shapes({.vector_width = 16}, [](const MeasuredPolicy&) { return true; }))
    EXPECT_TRUE(shape.vector_width == 16 || shape.vector_width == 8);
}

TEST(TuneChoice, PlansDifferByRoundingAlone) {
  using families::fft::Precision;
  EXPECT_GT(most_difference(2, Precision::Single), 2e-7);
  EXPECT_LT(most_difference(1 << 24, Precision::Single), 2e-5);
  EXPECT_LT(most_difference(1 << 24, Precision::Double), 3e-14);
  EXPECT_GT(most_difference(4096, Precision::Double), most_difference(64, Precision::Double));
}

// On the CPU, where both subjects are kernels of the host route.
TEST(TuneMeasurement, SubjectsTakeTurnsAndAreComparedBitByBit) {
  Options on_host;
  on_host.routes.required = Route::Host;
  const auto subject = [&](const char* source) {
    return transform_subject(build(Callback(source), Architecture(90), on_host), 0, {});
  };
  const auto twice = subject("__device__ float f(float x) { return 2 * x; }");
  const auto same = subject("__device__ float f(float x) { return x + x; }");
  const auto other = subject("__device__ float f(float x) { return x > 1 ? x : 2 * x; }");
  const auto rounded = subject("__device__ float f(float x) { return 2.0002f * x; }");
  const auto no_number = subject("__device__ float f(float x) { return x > 1.9f ? (x - x) / (x - x) : 2 * x; }");
  const std::unique_ptr<Place> place = host_place();
  Measurement measurement(*place, *twice, {layout_of(element_type<float>()), layout_of(element_type<float>())},
                          nullptr);
  measurement.prepare({1000, 100'000});
  for (const std::uint64_t count : {1000, 100'000}) {
    EXPECT_TRUE(measurement.has_same_results(*same, count));
    EXPECT_FALSE(measurement.has_same_results(*other, count));
    EXPECT_EQ(measurement.relative_difference(*twice, *same, count), 0);
    EXPECT_NEAR(measurement.relative_difference(*twice, *rounded, count), 1e-4, 1e-5);
    EXPECT_GT(measurement.relative_difference(*twice, *other, count), 0.1);
    EXPECT_TRUE(std::isnan(measurement.relative_difference(*twice, *no_number, count)));
    const std::vector<const Subject*> subjects = {twice.get(), same.get(), other.get()};
    const std::vector<base::Spread> seconds = measurement.seconds_in_turns(subjects, count, 5);
    ASSERT_EQ(seconds.size(), 3u);
    for (const base::Spread& one : seconds) EXPECT_TRUE(one.min > 0 && one.min <= one.median && one.median <= one.max);
  }
}

TEST(Tune, ListsTheCallbacks) {
  const Program graft;
  const Result all = graft.run("tune --list");
  EXPECT_EQ(all.exit_code, 0) << all.err;
  const auto lines_of = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
  const json whole = json::parse(graft.run("tune --list --json").out);
  EXPECT_EQ(lines_of(all.out), std::ssize(tune_cells()) + std::ssize(whole.at("further").at("fft")));
  EXPECT_THAT(all.out, HasSubstr("f16 gelu                 2 to 2 bytes, long math\n"));
  EXPECT_THAT(all.out, HasSubstr("fft 4096 f32             4096 points, f32, complex\n"));
  EXPECT_EQ(lines_of(graft.run("tune --list --skip fft").out), std::ssize(tune_cells()));
  const json some = json::parse(graft.run("tune --list --only gelu --only fill --json").out);
  EXPECT_EQ(some.at("cells").size(), 4u);
  EXPECT_EQ(graft.run("tune --list --only nothing-has-this-name").exit_code, 2);
}

TEST(Tune, ListsThePlansOfTheLengthsThatAreNamed) {
  const Program graft;
  const auto named = [&](const std::string& words) {
    return json::parse(graft.run("tune --list --json --only 'fft ' " + words).out).at("further").at("fft");
  };
  EXPECT_EQ(named("--fft 3000,512 --fft 81").size(), 2U * 10 + 4) << "an odd length has no real plans";
  EXPECT_EQ(named("--fft 512 --fft 512,512").size(), 10U);
  EXPECT_EQ(named("--fft 512 --skip f64 --skip filter").size(), 3U);
  EXPECT_EQ(named("--fft 512").at(2).at("name"), "fft 512 f32 real forward");
  for (const char* word : {"37", "0", "1", "x", "512,", "512x512", "-8", "268435456"}) {
    const Result refused = graft.run(std::string("tune --list --fft ") + word);
    EXPECT_EQ(refused.exit_code, 2) << word;
    EXPECT_THAT(refused.err, HasSubstr("is no length whose plans are measured")) << word;
  }
}

TEST(Tune, ImportsATuningFile) {
  const Program graft;
  format::TuningFile file{.gpu = {"NVIDIA A100", 1'215'000}, .architecture = 80};
  file.elementwise.push_back({{.inputs = {4}, .outputs = {4}}, {.vector_width = 4, .vectors_per_thread = 2}});
  graft.write("a100.json", format::write_tuning_file(file));
  const Result run = graft.run("tune --import a100.json");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("imported the tuning of NVIDIA A100, 1 kinds of callbacks, to "));
  EXPECT_EQ(graft.read("own-cache/tuning/NVIDIA_A100_1215000.json"), format::write_tuning_file(file));
  file.further["fft"] = {
      R"({"length":64,"precision":"f32","work":"complex","factors":[],"radices":[[8,8]],"threads":[8],)"
      R"("ffts":[4],"resident_blocks":[],"splits_complex":false})"};
  graft.write("a100.json", format::write_tuning_file(file));
  EXPECT_THAT(graft.run("tune --import a100.json").out, HasSubstr("1 kinds of callbacks, 1 rows of fft, to "));
  const json again = json::parse(graft.run("tune --import a100.json --json").out);
  EXPECT_EQ(again.at("kinds"), 1);
  EXPECT_EQ(again.at("further").at("fft"), 1);
}

TEST(Tune, RefusesWhatIsNoTuningFile) {
  const Program graft;
  graft.write("bad.json", "{\"graft_tuning\": 1}");
  const Result bad = graft.run("tune --import bad.json");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("bad.json is no tuning file: the tuning file has no member `gpu`"));
  EXPECT_EQ(graft.run("tune --import nothing.json").exit_code, 1);
  EXPECT_FALSE(graft.has("own-cache/tuning"));
  EXPECT_EQ(graft.run("tune --import bad.json --list").exit_code, 2);
  EXPECT_EQ(graft.run("tune --samples 1").exit_code, 2);
  EXPECT_EQ(graft.run("tune --import bad.json", "GRAFT_CACHE=read-only").exit_code, 1);
}

TEST(Tune, WithoutAGpuTheMessageSaysSo) {
  std::string why;
  if (toolchain::Driver::find(why) != nullptr) GTEST_SKIP() << "this machine has a GPU";
  const Program graft;
  for (const char* words : {"tune", "tune --export here.json"}) {
    const Result run = graft.run(words);
    EXPECT_EQ(run.exit_code, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr("no GPU can be used")) << words;
  }
  EXPECT_FALSE(graft.has("here.json"));
  EXPECT_EQ(json::parse(graft.run("doctor --json").out).at("tuning"), json::array());
}

}  // namespace
}  // namespace graft::cli
