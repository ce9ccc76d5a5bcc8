// The messages for callbacks that an FFT refuses, by the numbers in building_blocks/fft/refusals.h.
#pragma once

#include "reflect/signature/refusal.hpp"

namespace graft::families::fft {

// Throws std::out_of_range for a number that refusals.h does not define.
reflect::RefusalWords refusal_words(unsigned number);

}  // namespace graft::families::fft
