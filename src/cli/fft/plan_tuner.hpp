// Measures one kind of FFT (families/fft/tuned_plans.hpp) on a GPU with graft's own plan and with others, and chooses.
//
//     1   every candidate (families/fft/candidates.hpp) with one kind of exchange, then the best with the other kind,
//         with a load and a store callback, on a large batch
//     2   for FFTs of several kernels: the best with other blocks, one kernel after the other
//     3   the best with other numbers of resident blocks, one kernel after the other
//     4   the best few again, in turns with graft's own plan: without callbacks and with them, on a small and a large
//         batch, until one is an improvement everywhere (tune_choice.hpp). A plan serves all these uses
//
// The kernels of a step are compiled on all cores at the same time, and measured when nothing is compiled. A plan's
// results must be those of graft's own plan but for rounding. A candidate that fails, or whose results differ by more,
// is left out.
#pragma once

#include "cli/tune/job_tuner.hpp"
#include "families/fft/tuned_plans.hpp"

namespace graft::cli {

// By how much, relative to their root mean square, the results of two plans of so many points may differ. The rounding
// errors of a plan grow with its passes, of which there are at most log2(points): the error of an FFT is about
// 0.6 * epsilon * sqrt(log2(points)) on average, and at most a few times epsilon * log2(points). A wrong result is
// larger by orders of magnitude.
double most_difference(std::int64_t points, families::fft::Precision precision);

// Throws Error if graft's own plan cannot be measured, or if the GPU does not work any more after a candidate.
TunedJob tune_plan(const TuneContext& context, const families::fft::TunedKind& kind);

}  // namespace graft::cli
