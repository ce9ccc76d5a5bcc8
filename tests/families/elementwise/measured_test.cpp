// Tests for which callbacks elementwise kernels take the numbers of a tuning file, and which numbers are refused.
#include "families/elementwise/measured.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/errors.hpp"

namespace graft::elementwise {
namespace {

using testing::HasSubstr;

constexpr MeasuredPolicy kMeasuredTile{
    .vector_width = 2, .vectors_per_thread = 4, .block_threads = 64, .single_below = 1 << 20};

format::TuningFile file_for(const format::MeasuredKind& kind) {
  return {.gpu = {"GPU", 1}, .architecture = 90, .elementwise = {{kind, kMeasuredTile}}};
}

TEST(MeasuredTuning, IsFoundByTheFactsOfTheRules) {
  const format::TuningFile floats = file_for({.inputs = {4, 4}, .outputs = {4}});
  EXPECT_EQ(find_measured(Signature::of<float(float, float)>(), false, floats), kMeasuredTile);
  EXPECT_EQ(find_measured(Signature::of<int(float, int)>(), false, floats), kMeasuredTile);
  EXPECT_EQ(find_measured(Signature::of<float(float, float)>(), true, floats), std::nullopt);
  EXPECT_EQ(find_measured(Signature::of<float(float)>(), false, floats), std::nullopt);
  EXPECT_EQ(find_measured(Signature::of<double(float, float)>(), false, floats), std::nullopt);
  const format::TuningFile shorts = file_for({.inputs = {2}, .outputs = {2}, .short_integers = true});
  EXPECT_EQ(find_measured(Signature::of<short(unsigned short)>(), false, shorts), kMeasuredTile);
  const format::TuningFile halves = file_for({.inputs = {2}, .outputs = {2}});
  EXPECT_EQ(find_measured(Signature::of<short(unsigned short)>(), false, halves), std::nullopt);
}

TEST(MeasuredTuning, IsNotForCallbacksThatNobodyMeasures) {
  EXPECT_TRUE(measured_kind(Signature::of<float(float)>(), false));
  EXPECT_FALSE(measured_kind(Signature::of<Store(float, float&)>(), false));
  EXPECT_FALSE(measured_kind(Signature::of<Bit(float)>(), false));
  EXPECT_FALSE(measured_kind(Signature::of<void(InOut<float>)>(), false));
}

TEST(MeasuredTuning, ReplacesTheShapeOfATile) {
  const Signature signature = Signature::of<float(float)>();
  const Policy rules = choose_policy(signature, Architecture(90), {});
  const Policy policy = with_measured(rules, kMeasuredTile, signature);
  EXPECT_EQ(policy.vector_width, 2);
  EXPECT_EQ(policy.vectors_per_thread, 4);
  EXPECT_EQ(policy.block_threads, 64);
  EXPECT_EQ(policy.single_below, 1u << 20);
  EXPECT_EQ(policy.few_tiles, rules.few_tiles);
  EXPECT_EQ(policy.programmatic_launch, rules.programmatic_launch);
  EXPECT_EQ(policy.body, rules.body);
  EXPECT_THAT(policy.reason, HasSubstr("tuned on this GPU"));
  const Signature selective = Signature::of<Store(float, float&)>();
  const Policy of_selective = choose_policy(selective, Architecture(90), {});
  EXPECT_EQ(tuning_of(with_measured(of_selective, kMeasuredTile, selective)), tuning_of(of_selective));
}

TEST(MeasuredTuning, ImpossibleNumbersAreRefused) {
  const format::MeasuredKind wide{.inputs = {16}, .outputs = {16}};
  EXPECT_EQ(objection_to({wide, kMeasuredTile}), "");
  EXPECT_EQ(objection_to({{.inputs = {512}, .outputs = {512}}, {.vector_width = 1}}), "");
  EXPECT_THAT(objection_to({{.inputs = {512}, .outputs = {512}}, {.vector_width = 2}}),
              HasSubstr("its vector width is 2"));
  EXPECT_THAT(objection_to({wide, {.vector_width = 3}}), HasSubstr("its vector width is 3"));
  EXPECT_THAT(objection_to({wide, {.vectors_per_thread = 3}}), HasSubstr("3 vectors per thread"));
  EXPECT_THAT(objection_to({wide, {.block_threads = 100}}), HasSubstr("100 threads per block"));
  EXPECT_THAT(objection_to({wide, {.single_below = -1}}), HasSubstr("its single_below is"));
  EXPECT_THAT(objection_to({{.inputs = {}, .outputs = {4, 4, 4, 4, 4}}, {.vectors_per_thread = 4}}),
              HasSubstr("vectors per thread of 5 outputs"));
  EXPECT_THAT(objection_to({{.inputs = std::vector<int>(17, 1), .outputs = {1}}, {}}), HasSubstr("17 inputs"));
  EXPECT_THAT(test::error_of([] { with_measured({}, {.vector_width = 5}, Signature::of<float(float)>()); }).message(),
              HasSubstr("the measured tuning that was given: its vector width is 5"));
}

}  // namespace
}  // namespace graft::elementwise
