// The table of measured plans: lengths for which a sweep found a plan that is faster than the one that the planner's
// estimates choose. The estimates know instructions and memory accesses; they do not know in which order a compiler
// puts loads, or how it assigns registers. For example, 1000 points in single precision with callbacks:
//
//     the estimates' choice                    10x10x10, 100 threads x 2 FFTs          1.43 of cuFFT's time
//     5 blocks that fit on a multiprocessor    the same, __launch_bounds__(200, 5)     1.12
//
// bench_fft --sweep measures the candidates of a length on a GPU, and prints the line for the table.
#pragma once

#include <cstdint>
#include <vector>

#include "families/fft/plan.hpp"

namespace graft::families::fft {

struct MeasuredPlan {
  std::int64_t length;
  Precision precision;
  Choices choices;  // nothing is left to the planner
};

// Sorted by length, and then by precision.
const std::vector<MeasuredPlan>& measured_plans();

// Returns null if the table has no such plan.
const Choices* measured_choices(std::int64_t length, Precision precision);

}  // namespace graft::families::fft
