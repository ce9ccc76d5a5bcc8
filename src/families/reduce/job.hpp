// From the callbacks of a graft::Reduce to its job.
#pragma once

#include "families/job.hpp"
#include "graft/reduce.hpp"

namespace graft::families::reduce {

// The job has the first kernel alone. Throws Error(InvalidArgument) for a callback that cannot be compiled into the
// kernel of a reduction.
Job job_of(const ReduceCallbacks& callbacks);

// Returns the kernels that the methods of the job name, for an architecture or the host; those of a job without
// methods, which comes from a file, are all.
Schedule schedule_of(const Job& job, bool is_on_host);

}  // namespace graft::families::reduce
