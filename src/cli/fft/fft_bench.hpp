// How `graft bench` measures FFTs: a batch of them in one direction, whose items are the FFTs.
#pragma once

namespace graft::cli {

class JobBench;

const JobBench& fft_bench();

}  // namespace graft::cli
