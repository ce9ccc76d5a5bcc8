// Arrays of 16-bit numbers (FftStorage): the load and store callbacks that convert them to the FFT's numbers and back.
#pragma once

#include "graft/callback.hpp"
#include "graft/fft.hpp"

namespace graft::families::fft {

// Returns the callback that makes a number of the FFT, or a complex number, of one in memory. For another storage than
// FftStorage::Same.
Callback loading_callback(FftStorage storage, bool is_number);

// Returns the callback that makes a number in memory of one of the FFT.
Callback storing_callback(FftStorage storage, bool is_number);

}  // namespace graft::families::fft
