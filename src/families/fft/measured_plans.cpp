#include "families/fft/measured_plans.hpp"

#include <algorithm>
#include <utility>

namespace graft::families::fft {
namespace {

std::pair<std::int64_t, Precision> key_of(const MeasuredPlan& plan) {
  return {plan.length, plan.precision};
}

}  // namespace

// Measured on an H200 with arrays of 1 GiB, a load callback that multiplies by a window and a store callback that
// scales. The unit is the time of cuFFT without callbacks.
const std::vector<MeasuredPlan>& measured_plans() {
  static const std::vector<MeasuredPlan> table = {
      // 1.096 of cuFFT's time with callbacks; the estimates' choice 1.356
      {243, Precision::Single, {.radices = {{9, 9, 3}}, .threads = {27}, .ffts = {7}, .resident_blocks = {5}}},
      // 1.118 of cuFFT's time with callbacks; the estimates' choice 1.428
      {1000, Precision::Single, {.radices = {{10, 10, 10}}, .threads = {100}, .ffts = {2}, .resident_blocks = {5}}},
      // 0.997 of cuFFT's time with callbacks; the estimates' choice 1.123
      {1000, Precision::Double, {.radices = {{10, 10, 10}}, .threads = {100}, .ffts = {2}, .resident_blocks = {3}}},
      // 1.181 of cuFFT's time with callbacks; the estimates' choice 1.207
      {2000, Precision::Single, {.radices = {{10, 10, 10, 2}}, .threads = {200}, .ffts = {1}, .resident_blocks = {5}}},
      // 1.080 of cuFFT's time with callbacks; the estimates' choice 1.145
      {2000, Precision::Double, {.radices = {{10, 10, 10, 2}}, .threads = {200}, .ffts = {1}, .resident_blocks = {3}}},
      // 1.001 of cuFFT's time with callbacks; the estimates' choice 1.116
      {4096, Precision::Double, {.radices = {{16, 16, 16}}, .threads = {256}, .ffts = {1}, .resident_blocks = {2}}},
      // 0.957 of cuFFT's time with callbacks; the estimates' choice 0.996
      {16384,
       Precision::Single,
       {.radices = {{16, 16, 16, 4}}, .threads = {1024}, .ffts = {1}, .resident_blocks = {1}}},
  };
  return table;
}

const Choices* measured_choices(std::int64_t length, Precision precision) {
  const std::vector<MeasuredPlan>& table = measured_plans();
  const auto at = std::ranges::lower_bound(table, std::pair(length, precision), {}, key_of);
  return at != table.end() && key_of(*at) == std::pair(length, precision) ? &at->choices : nullptr;
}

}  // namespace graft::families::fft
