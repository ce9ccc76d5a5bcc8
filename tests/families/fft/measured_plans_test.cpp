// Tests the table of measured plans: its order, that its plans are possible, and when the planner uses it.
#include "families/fft/measured_plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "families/fft/lengths.hpp"

namespace graft::families::fft {
namespace {

constexpr int kMeasuredOn = 90;

Plan planned(const MeasuredPlan& measured, int architecture, const Choices& choices = {}) {
  if (measured.half)
    return make_plan_of_half(measured.length, measured.precision, architecture, *measured.half, choices).value();
  return measured.has_inverse
             ? make_plan_with_inverse(measured.length, measured.precision, architecture, choices).value()
             : make_plan(measured.length, measured.precision, architecture, choices);
}
Plan estimated(const MeasuredPlan& measured, int architecture, const Choices& choices = {}) {
  if (measured.half)
    return estimated_plan_of_half(measured.length, measured.precision, architecture, *measured.half, choices).value();
  return measured.has_inverse
             ? estimated_plan_with_inverse(measured.length, measured.precision, architecture, choices).value()
             : estimated_plan(measured.length, measured.precision, architecture, choices);
}

TEST(MeasuredPlans, AreSortedWithoutDuplicates) {
  const std::vector<MeasuredPlan>& table = measured_plans();
  const auto is_at_least = [](const MeasuredPlan& one, const MeasuredPlan& next) {
    return std::tuple(one.length, one.precision, one.has_inverse, one.half) >=
           std::tuple(next.length, next.precision, next.has_inverse, next.half);
  };
  const auto at = std::ranges::adjacent_find(table, is_at_least);
  EXPECT_EQ(at, table.end()) << at->length << " " << name_of(at->precision) << " is not in front of the next one";
}

TEST(MeasuredPlans, ArePossibleAndUsedWhereTheyWereMeasured) {
  for (const MeasuredPlan& measured : measured_plans()) {
    SCOPED_TRACE(std::to_string(measured.length) + " " + name_of(measured.precision));
    ASSERT_TRUE(is_good_length(measured.length));
    const Plan plan = planned(measured, kMeasuredOn);
    EXPECT_EQ(choices_of(plan), measured.choices) << describe(plan);
    EXPECT_NE(describe(plan), describe(estimated(measured, kMeasuredOn)))
        << "the estimates choose the same plan, so the table need not have it";
  }
}

TEST(MeasuredPlans, AreFoundByLengthAndPrecision) {
  EXPECT_EQ(measured_choices(1001, Precision::Single), nullptr);
  EXPECT_EQ(measured_choices(1, Precision::Single), nullptr);
  EXPECT_EQ(measured_choices(kLongestLength + 1, Precision::Double), nullptr);
  for (const MeasuredPlan& measured : measured_plans())
    EXPECT_EQ(measured_choices(measured.length, measured.precision, measured.has_inverse, measured.half),
              &measured.choices);
}

TEST(MeasuredPlans, GiveWayToChoicesOfTheCaller) {
  for (const MeasuredPlan& measured : measured_plans()) {
    const Choices choices = {.ffts = {1}};
    EXPECT_EQ(describe(planned(measured, kMeasuredOn, choices)), describe(estimated(measured, kMeasuredOn, choices)));
  }
}

// On every architecture a plan is that of the table, exactly, or that of the estimates.
TEST(MeasuredPlans, GiveWayToLimitsOfArchitectures) {
  std::size_t left_out = 0;
  for (const int architecture : {75, 80, 86, 89, 100, 110, 120})
    for (const MeasuredPlan& measured : measured_plans()) {
      const Plan plan = planned(measured, architecture);
      if (choices_of(plan) == measured.choices) continue;
      ++left_out;
      EXPECT_EQ(describe(plan), describe(estimated(measured, architecture)));
      const Limits limits = limits_of(architecture), of_measured = limits_of(kMeasuredOn);
      EXPECT_TRUE(limits.shared_bytes_of_block < of_measured.shared_bytes_of_block ||
                  limits.threads_of_multiprocessor < of_measured.threads_of_multiprocessor ||
                  limits.blocks_of_multiprocessor < of_measured.blocks_of_multiprocessor)
          << "sm_" << architecture << " can hold what sm_" << kMeasuredOn << " can";
    }
  EXPECT_GT(left_out, 0U) << "16384 points do not fit into a block of sm_75";
}

}  // namespace
}  // namespace graft::families::fft
