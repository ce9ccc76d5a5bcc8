// Compares the rounding errors of graft's kernels and of cuFFT, both against an FFT in long double on the host.
#pragma once

#include <nlohmann/json.hpp>

#include "fft_subject.hpp"

namespace graft::bench {

// Prints and returns the root mean squares of the errors of the first FFTs of the batch, at least 2^16 points, relative
// to that of the results, in units of the rounding error (2^-24 or 2^-53).
nlohmann::json measure_accuracy(Subject& subject);

}  // namespace graft::bench
