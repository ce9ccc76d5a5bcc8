// The options that ask for reductions (graft::Reduce): --combine, --map, --finish, --initial, ...
#pragma once

#include "cli/commands/families/job_options.hpp"

namespace graft::cli {

const JobOptions& reduce_options();

}  // namespace graft::cli
