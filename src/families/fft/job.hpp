// An FFT as a job: from what graft::Fft is asked for, to the kernels of its plan.
#pragma once

#include <optional>
#include <string>

#include "families/job.hpp"
#include "graft/fft.hpp"

namespace graft::families::fft {

// Returns the job. Throws Error(InvalidArgument) for a plan or callbacks that no FFT can have.
Job job_of(const FftPlan& plan, const FftCallbacks& callbacks);

// Returns the plan that a user would give for the job. With a callback between, its direction is forward.
FftPlan plan_of(const Job& job);

// Returns what messages call the job: "an FFT of 4096 points".
std::string title_of(const Job& job);

// Returns the name of the schedule's method for a direction: "forward" or "inverse".
const char* method_of(Direction direction);
// The same for FFTs whose neighbours in a batch are neighbours in memory: "forward columns", "inverse columns". Its
// kernels are those of method_of(direction) where too few such FFTs fit into a thread block.
const char* method_of_columns(Direction direction);

// Returns the kernels of the job: those of each method in the order of their launches. The methods are "forward" and
// "inverse", with strides each followed by that for columns.
// An FFT with a callback between is forward only. Throws Error(InvalidArgument) if the architecture has too little
// shared memory for it.
Schedule schedule_of(const Job& job, std::optional<Architecture> architecture);

}  // namespace graft::families::fft
