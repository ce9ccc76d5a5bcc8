// Checks the calls of a reduction, and lays out their launches.
#pragma once

#include <memory>

#include "families/call.hpp"
#include "graft/kernel_spec.hpp"

namespace graft::families::reduce {

std::unique_ptr<const Caller> make_caller(const KernelSpec& kernel);

}  // namespace graft::families::reduce
