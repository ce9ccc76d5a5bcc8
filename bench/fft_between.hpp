// Measures an FFT, a filter and the inverse FFT: by graft::Fft with a callback between, and by cuFFT with the filter as
// a store callback (the same function, as LTO-IR) and as a kernel of its own.
#pragma once

#include <nlohmann/json.hpp>

#include "fft_subject.hpp"

namespace graft::bench {

// Prints and returns the medians, for a subject whose work is a filter. Throws std::runtime_error if the results
// differ.
nlohmann::json measure_between(Subject& subject, int rounds);

}  // namespace graft::bench
