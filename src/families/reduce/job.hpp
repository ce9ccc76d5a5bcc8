// From the callbacks of a graft::Reduce to its job.
#pragma once

#include <string>

#include "families/job.hpp"
#include "graft/reduce.hpp"

namespace graft::families::reduce {

// Throws Error(InvalidArgument) for a callback that cannot be compiled into the kernel of a reduction.
Job job_of(const ReduceCallbacks& callbacks);

Schedule schedule_of(const Job& job);

// Returns why the bytes are no request of a reduction, as a clause ("its order is 7"), or an empty text.
std::string objection_to_request(std::span<const std::byte> bytes);

}  // namespace graft::families::reduce
