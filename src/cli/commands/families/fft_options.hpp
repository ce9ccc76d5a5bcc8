// The options that ask for FFTs (graft::Fft): --fft, --load, --precision, ...
#pragma once

#include "cli/commands/families/job_options.hpp"

namespace graft::cli {

const JobOptions& fft_options();

}  // namespace graft::cli
