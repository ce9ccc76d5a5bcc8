// In packs of version 2, the request of an FFT's kernel is among the numbers of its tuning.
#pragma once

#include <string>

#include "families/fft/request.hpp"
#include "graft/tuning.hpp"

namespace graft::families::fft {

// Reads the numbers. Returns the reason why they ask for no kernel of any FFT, as a clause ("its length is 0"). Returns
// an empty text if `request` has been read.
std::string read_numbers_of_version_2(const Tuning& tuning, KernelRequest& request);

}  // namespace graft::families::fft
