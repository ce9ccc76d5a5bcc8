// Checks the calls of a reduction, and lays out their launches.
#pragma once

#include <memory>
#include <span>

#include "families/call.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::families::reduce {

// `kernels` are those of the job's schedule.
std::unique_ptr<const Caller> make_caller(std::span<const KernelSpec* const> kernels);

}  // namespace graft::families::reduce
