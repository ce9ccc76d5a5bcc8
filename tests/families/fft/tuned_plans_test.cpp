// Tests plans that come from tuning files: rows as they are written and read, rows and requests that hostile files may
// have, and that an FFT without a row is asked for by the bytes that it always had.
#include "families/fft/tuned_plans.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "base/hash.hpp"
#include "base/little_endian.hpp"
#include "families/fft/candidates.hpp"
#include "families/fft/fft.hpp"
#include "families/fft/lengths.hpp"
#include "fft/butterfly.h"

namespace graft::families::fft {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::IsEmpty;

const Choices kChoices4096 = {
    .radices = {{16, 16, 16}}, .threads = {256}, .ffts = {1}, .resident_blocks = {2}, .splits_complex = true};
const Choices kChoices65536 = {.factors = {64, 1024},
                               .radices = {{8, 8}, {16, 16, 4}},
                               .threads = {4, 64},
                               .ffts = {32, 8},
                               .resident_blocks = {3, 0}};

std::vector<TunedPlan> example_plans() {
  return {{{4096, Precision::Single, false, {}}, kChoices4096},
          {{65536, Precision::Single, false, {}}, kChoices65536},
          {{4096, Precision::Single, true, {}}, {.radices = {{16, 16, 16}}, .threads = {256}, .ffts = {1}}},
          {{2048, Precision::Double, false, Half::Stored}, {.radices = {{16, 8, 8}}, .threads = {64}, .ffts = {1}}},
          {{2048, Precision::Double, false, Half::Loaded}, {.radices = {{8, 8, 16}}, .threads = {64}, .ffts = {1}}}};
}

format::TuningFile file_of(const std::vector<TunedPlan>& plans, int architecture = 90) {
  format::TuningFile file{.gpu = {"NVIDIA H200", 3'201'000}, .architecture = architecture};
  for (const TunedPlan& plan : plans) file.further["fft"].push_back(row_of(plan));
  return file;
}

FftRequest complex_request(std::int64_t length) {
  FftRequest request;
  request.length = length;
  return request;
}

KernelRequest kernel_request(const FftRequest& request, Architecture architecture = 90) {
  KernelRequest kernel{request};
  kernel.architecture = architecture;
  return kernel;
}

std::string refusal_of(const FftRequest& request) {
  FftRequest found;
  return read(write(request), found);
}

TEST(TunedPlans, RequestsWithoutOneKeepTheirBytes) {
  // As the first version wrote them: the size, then the tag, the size and the value of each field.
  base::Bytes expected;
  base::append_little_endian(expected, 6 * 14, 4);
  for (const auto& [tag, value] : {std::pair(1, 4096), {2, 0}, {3, 0}, {4, 0}, {5, 0}, {6, 0}}) {
    base::append_little_endian(expected, static_cast<std::uint64_t>(tag), 2);
    base::append_little_endian(expected, 8, 4);
    base::append_little_endian(expected, static_cast<std::uint64_t>(value), 8);
  }
  const FftRequest request = complex_request(4096);
  EXPECT_EQ(write(request), expected);
  EXPECT_EQ(write(with_tuned_plans(request, file_of({}))), expected);
  EXPECT_EQ(write(with_tuned_plans(complex_request(1000), file_of(example_plans()))), write(complex_request(1000)));
}

// Kernels in caches have this record in their key.
TEST(TunedPlans, HaveTheRecordOfTheFirstVersion) {
  FftRequest request = complex_request(65536);
  request.tuned = kChoices65536;
  EXPECT_EQ(base::hash(base::as_text(write(request))).hex(), "71c17a7b2552fe5215a33665a4f63342");
}

TEST(TunedPlans, AreReadAsTheyWereWritten) {
  std::vector<TunedPlan> plans;
  EXPECT_EQ(read_tuned_plans(file_of(example_plans()), plans), "");
  EXPECT_EQ(plans, example_plans());
  EXPECT_EQ(family().objection_to_tuning(file_of(example_plans())), "");
  EXPECT_EQ(
      text_of(plans[1].kind) + ": " + text_of(plans[1].choices),
      "65536 points, f32, complex: factors 64 1024, radices 8x8 16x16x4, threads 4 64, FFTs 32 8, resident blocks "
      "3 0");
}

TEST(TunedPlans, AreThePlansOfTheirRequests) {
  const format::TuningFile file = file_of(example_plans());
  for (const std::int64_t length : {4096, 65536}) {
    const FftRequest shipped = complex_request(length), tuned = with_tuned_plans(shipped, file);
    ASSERT_NE(tuned, shipped);
    FftRequest again;
    EXPECT_EQ(read(write(tuned), again), "");
    EXPECT_EQ(again, tuned);
    for (const bool is_inverse : {false, true}) {
      KernelRequest of_tuned = kernel_request(tuned), of_shipped = kernel_request(shipped), found;
      of_tuned.is_inverse = of_shipped.is_inverse = is_inverse;
      EXPECT_EQ(choices_of(*plan_of(of_tuned)), length == 4096 ? kChoices4096 : kChoices65536);
      EXPECT_EQ(describe(*plan_of(of_shipped)), describe(make_plan(length, Precision::Single, 90)));
      EXPECT_EQ(read(write(of_tuned), found), "");
      EXPECT_EQ(found, of_tuned);
      EXPECT_THAT(words_on(write(of_tuned)), testing::Contains(HasSubstr("tuned=")));
      EXPECT_THAT(words_on(write(of_shipped)), testing::Not(testing::Contains(HasSubstr("tuned"))));
    }
  }
}

TEST(TunedPlans, TheDirectionsOfARealFftHaveTheirOwn) {
  FftRequest request = complex_request(2048);
  request.precision = Precision::Double;
  request.is_real = true;
  const FftRequest tuned = with_tuned_plans(request, file_of(example_plans()));
  KernelRequest kernel = kernel_request(tuned);
  EXPECT_EQ(choices_of(*plan_of(kernel)).radices.front(), (std::vector{16, 8, 8}));
  kernel.is_inverse = true;
  EXPECT_EQ(choices_of(*plan_of(kernel)).radices.front(), (std::vector{8, 8, 16}));
  kernel.is_of_columns = true;
  EXPECT_EQ(tuned_choices(kernel), nullptr);
}

TEST(TunedPlans, AreOnlyForWhatWasMeasured) {
  const auto has_plan = [](auto change) {
    FftRequest request = complex_request(4096);
    change(request);
    return with_tuned_plans(request, file_of(example_plans())) != request;
  };
  EXPECT_TRUE(has_plan([](FftRequest&) {}));
  EXPECT_TRUE(has_plan([](FftRequest& r) { r.scaling = Scaling::Unitary; }));
  EXPECT_TRUE(has_plan([](FftRequest& r) { r.has_inverse = true; }));
  EXPECT_FALSE(has_plan([](FftRequest& r) { r.precision = Precision::Double; }));
  EXPECT_FALSE(has_plan([](FftRequest& r) { r.storage_in = Storage::F16; }));
  EXPECT_FALSE(has_plan([](FftRequest& r) { r.shape = {1, 4096}; }));
  EXPECT_FALSE(has_plan([](FftRequest& r) { r.is_real = true; }));
  EXPECT_FALSE(has_plan([](FftRequest& r) { r.length = 4099; }));
}

TEST(TunedPlans, AreRefusedWhereTheArchitectureCannotHaveThem) {
  const TunedPlan large = {{16384, Precision::Single, false, {}},
                           {.radices = {{16, 16, 16, 4}}, .threads = {1024}, .ffts = {1}, .resident_blocks = {1}}};
  EXPECT_EQ(family().objection_to_tuning(file_of({large})), "");
  EXPECT_EQ(family().objection_to_tuning(file_of({example_plans()[0], large}, 75)),
            "row 2 of `fft` is no plan of sm_75");
  FftRequest request = complex_request(16384);
  request.tuned = large.choices;
  EXPECT_THAT(plan_of(kernel_request(request, 75))->kernels, IsEmpty());
  KernelRequest found;
  EXPECT_EQ(read(write(kernel_request(request, 75)), found), "it is kernel 0 of a plan that has 0");
  EXPECT_EQ(read(write(kernel_request(request)), found), "");
}

TEST(TunedPlans, RowsWithWrongNumbersAreRefused) {
  const auto refusal = [](const json& row) {
    format::TuningFile file{.gpu = {"x", 0}, .architecture = 90, .further = {{"fft", {row.dump()}}}};
    return family().objection_to_tuning(file);
  };
  const json whole = json::parse(row_of(example_plans()[1]));
  ASSERT_EQ(refusal(whole), "");
  for (const auto& [name, value] : whole.items()) {
    json without = whole;
    without.erase(name);
    EXPECT_EQ(refusal(without), "row 1 of `fft` has no member `" + name + "`");
    for (const json& other : {json(nullptr), json(-1), json(1.5), json("x"), json(json::array({"x"})), json(0),
                              json(json::array({json::array({-1})})), json(1ull << 63), json(7),
                              json(json::array({1, 1, 1, 1})), json(json::array({0, -1}))}) {
      json changed = whole;
      changed[name] = other;
      EXPECT_NE(refusal(changed), "") << name << " " << other;
    }
  }
  const auto changed = [&](const char* name, const json& value) {
    json row = whole;
    row[name] = value;
    return refusal(row);
  };
  EXPECT_EQ(changed("factors", json::array({64, 512})),
            "row 1 of `fft`: its choices are those of no FFT of 65536 points, f32, complex");
  EXPECT_NE(changed("factors", json::array({16384, 4})), "");
  EXPECT_NE(changed("radices", json::array({json::array({8, 4}), json::array({16, 16, 4})})), "");
  EXPECT_NE(changed("radices", json::array({json::array({64}), json::array({16, 16, 4})})), "");
  EXPECT_NE(changed("threads", json::array({4})), "");
  EXPECT_THAT(changed("ffts", json::array({512, 8})), HasSubstr("its choices are those of no FFT"))
      << "more than 1024 threads in a block";
  EXPECT_NE(changed("resident_blocks", json::array({33, 0})), "");
  EXPECT_NE(changed("resident_blocks", json::array({0, 0})), "") << "it is written as an empty list";
  EXPECT_NE(changed("work", "real forward"), "") << "of several kernels";
  EXPECT_NE(changed("more", 1), "");
  format::TuningFile twice = file_of({example_plans()[0], example_plans()[0]});
  EXPECT_EQ(family().objection_to_tuning(twice), "row 2 of `fft` is of the same kind as an earlier one");
  format::TuningFile many = file_of({});
  many.further["fft"].assign(257, whole.dump());
  EXPECT_EQ(family().objection_to_tuning(many), "it has more than 256 rows of FFTs");
}

TEST(TunedPlans, RequestsWithWrongChoicesAreRefused) {
  const auto refusal = [](auto change) {
    FftRequest request = complex_request(4096);
    request.tuned = kChoices4096;
    change(request);
    return refusal_of(request);
  };
  EXPECT_EQ(refusal([](FftRequest&) {}), "");
  EXPECT_EQ(refusal([](FftRequest& r) { r.tuned_inverse = r.tuned; }),
            "it has the choices of a plan that is not measured");
  EXPECT_NE(refusal([](FftRequest& r) { r.shape = {64, 64}; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.storage_out = Storage::BF16; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.length = 4099; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.length = 2048; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.tuned.threads = {2048}; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.tuned.ffts = {1 << 30}; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.tuned.ffts.clear(); }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.tuned.radices = {{}}; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.tuned.radices = {{4096}}; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.tuned.radices.front().assign(100'000, 2); }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.tuned = {.splits_complex = true}; }), "");
  EXPECT_NE(refusal([](FftRequest& r) { r.tuned.factors.assign(4, 8); }), "");
}

// Numbers in their bounds make a plan or none, in a time that a file of rows can take.
TEST(TunedPlans, MakingPlansOfAnyNumbersIsQuick) {
  std::mt19937 random(11);
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
  std::vector<double> seconds;
  int plans = 0;
  for (int i = 0; i < 400; ++i) {
    TunedKind kind = {1, below(2) == 0 ? Precision::Single : Precision::Double, below(3) == 0, {}};
    Choices choices;
    const int kernels = 1 + below(3);
    for (int kernel = 0; kernel < kernels; ++kernel) {
      std::int64_t points = 1;
      std::vector<int>& radices = choices.radices.emplace_back();
      for (const int radix : {2 + below(31), 2 + below(31), 2 + below(31), 2, 2, 2})
        if (graft_fft::is_radix(radix) && points * radix <= 16384) {
          radices.push_back(radix);
          points *= radix;
        }
      choices.factors.push_back(points);
      choices.threads.push_back(1 + below(points < 64 ? 16 : 512));
      choices.ffts.push_back(1 + below(1024 / choices.threads.back()));
      choices.resident_blocks.push_back(1 + below(2));
      kind.length *= points;
    }
    if (kernels == 1) choices.factors.clear();
    if (kind.length > kLongestLength) continue;
    ASSERT_EQ(objection_to(kind, choices), "");
    const auto begin = std::chrono::steady_clock::now();
    plans += tuned_plan(kind, choices, Architecture(90)).has_value();
    seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  EXPECT_GT(plans, 20);
  EXPECT_LT(std::ranges::max(seconds), 0.5);
}

// Measurements try candidates by the choices of their plans.
TEST(TunedPlans, CandidatesHaveChoicesThatMakeTheirPlans) {
  const auto tried = [](const TunedKind& kind) {
    std::set<std::string> texts;
    for (const Choices& candidate : first_candidates(points_of(kind))) {
      const std::optional<Choices> choices = choices_of_candidate(kind, candidate, Architecture(90));
      if (!choices) continue;
      EXPECT_EQ(objection_to(kind, *choices), "") << text_of(*choices);
      EXPECT_TRUE(tuned_plan(kind, *choices, Architecture(90))) << text_of(*choices);
      texts.insert(text_of(*choices));
    }
    return texts.size();
  };
  EXPECT_GT(tried({31, Precision::Single, false, {}}), 3U);
  EXPECT_GT(tried({20, Precision::Double, false, {}}), 10U);
  EXPECT_GT(tried({32, Precision::Single, false, Half::Stored}), 10U);
  EXPECT_GT(tried({8, Precision::Single, true, {}}), 5U);
  EXPECT_GT(tried({65536, Precision::Single, false, {}}), 3U);
}

}  // namespace
}  // namespace graft::families::fft
