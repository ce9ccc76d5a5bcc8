// The options that ask for kernels of the user's own (graft::Kernel): --kernel, --slot, --for, ...
#pragma once

#include "cli/commands/families/job_options.hpp"

namespace graft::cli {

const JobOptions& kernel_options();

}  // namespace graft::cli
