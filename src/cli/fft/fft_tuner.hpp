// What `graft tune` measures of FFTs: plans of lengths that programs have most, or of those that --fft names.
#pragma once

namespace graft::cli {

class JobTuner;

const JobTuner& fft_tuner();

}  // namespace graft::cli
