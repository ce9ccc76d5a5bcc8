// The words of messages about FFTs: for callbacks that an FFT refuses, by the numbers in
// building_blocks/fft/refusals.h, and what the C interface has in place of the members of graft::Fft, FftPlan and
// FftLaunch.
#pragma once

#include <array>

#include "base/phrases.hpp"
#include "fft/refusals.h"
#include "reflect/signature/refusal.hpp"

namespace graft::families::fft {

// In the order of FftRefusal.
inline constexpr std::array<reflect::RefusalWords, 4> kRefusals = {{
    {"the load callback", "does not return a point of the FFT",
     "Return a complex number of the FFT's precision: float2 or a struct of two floats for single precision, double2 "
     "for double; for the numbers of a real FFT (FftPlan::kind) a float or double. The point is the callback's only "
     "output, and no array has graft::Bit."},
    {"the callback between", "does not turn one frequency into one frequency",
     "Take and return a complex number of the FFT's precision, such as float2. A state and graft::Index may follow, "
     "but no arrays."},
    {"the store callback", "does not take a point of the FFT, or has not exactly one output",
     "Take a complex number of the FFT's precision, float2 or double2: as the first parameter, or as `element` in a "
     "callback of cuFFT's shape; for the numbers of a real FFT (FftPlan::kind) a float or double. A callback of "
     "another shape may take elements of further arrays, and returns the element to be stored."},
    {"a callback", "takes a graft::Position, which kernels of FFTs do not have",
     "Take graft::Index: the index of the element among all of the batch."},
}};
static_assert(graft_adapter::kFftBetween == graft_adapter::kFftLoad + 1 &&
              graft_adapter::kFftStore == graft_adapter::kFftLoad + 2 &&
              graft_adapter::kFftPosition == graft_adapter::kFftLoad + 3);

inline constexpr std::array kCWords = {
    base::Phrase{"Call execute(graft::host, in, out)", "Call graft_fft_execute_host"},
    base::Phrase{"made of an FftPlan", "made of a plan"},
    base::Phrase{"Give the bytes that graft::precompile", "Give the bytes that graft_fft_precompile"},
    base::Phrase{"Make them again: graft::precompile and graft::build make",
                 "Make them again: graft_fft_precompile makes"},
    base::Phrase{"Load it with graft::Fft::load", "Load it with graft_fft_load"},
    base::Phrase{"graft::Fft::load takes", "graft_fft_load takes"},
    base::Phrase{"Make FFTs with graft::Fft", "Make FFTs with graft_fft_create"},
    base::Phrase{"Fft::workspace_bytes(batch) bytes", "graft_fft_workspace_bytes(fft, batch) bytes"},
    base::Phrase{"FftPlan::", "graft_fft_plan::"},
    base::Phrase{"FftLaunch::", "graft_fft_launch::"},
    base::Phrase{"in FftLaunch", "in graft_fft_launch"},
};

}  // namespace graft::families::fft
