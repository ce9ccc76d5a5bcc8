// The words of messages about FFTs: for callbacks that an FFT refuses, by the numbers in
// building_blocks/fft/refusals.h, and what the C interface has in place of the members of graft::Fft, FftPlan and
// FftLaunch.
#pragma once

#include <array>
#include <string_view>

#include "base/phrases.hpp"
#include "fft/refusals.h"
#include "reflect/signature/refusal.hpp"

namespace graft::families::fft {

inline constexpr std::array<std::string_view, 3> kStages = {"the load callback", "the callback between",
                                                            "the store callback"};

// In the order of FftRefusal.
inline constexpr std::array<reflect::RefusalWords, 4> kRefusals = {{
    {"the load callback", "does not return a point of the FFT",
     "Return a complex number of the FFT's precision: float2 or a struct of two floats for single precision, double2 "
     "for double; for the numbers of a real FFT (FftPlan::kind) a float or double. The point is the callback's only "
     "output, and no array has graft::Bit or graft::InOut."},
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

// Whole phrases stand before the names in them.
inline constexpr std::array kCWords = {
    base::Phrase{"Call graft::Fft::execute(graft::host, in, out)", "Call graft_fft_execute_host"},
    base::Phrase{"made of an FftPlan", "made of a plan"},
    base::Phrase{"Give the bytes that graft::precompile", "Give the bytes that graft_fft_precompile"},
    base::Phrase{"Make them again: graft::precompile and graft::build make",
                 "Make them again: graft_fft_precompile makes"},
    base::Phrase{"Load it with graft::Fft::load", "Load it with graft_fft_load"},
    base::Phrase{"graft::Fft::load takes", "graft_fft_load takes"},
    base::Phrase{"Make FFTs with graft::Fft", "Make FFTs with graft_fft_create"},
    base::Phrase{"Fft::workspace_bytes(batch) bytes", "graft_fft_workspace_bytes(fft, batch) bytes"},
    // Callbacks.
    base::Phrase{"FftCallbacks::inverse has the callbacks",
                 "graft_fft_plan::has_inverse_callbacks is 1, for the callbacks"},
    base::Phrase{"Give all callbacks as FftCallbacks::load, between and store",
                 "Set graft_fft_plan::has_inverse_callbacks to 0, and give all callbacks as load, between and store"},
    base::Phrase{"as FftCallbacks::inverse, or set FftPlan::directions to Forward or Inverse",
                 "as graft_fft_plan::inverse_load and inverse_store, with has_inverse_callbacks, or set "
                 "graft_fft_plan::directions to 1 (forward) or 2 (inverse)"},
    base::Phrase{"in one graft::FftCallbacks", "to one graft_fft_create"},
    base::Phrase{"graft::FftCallbacks", "graft_fft_create"},
    // Plans.
    base::Phrase{"Use FftPrecision::F32", "Set graft_fft_plan::is_double to 0"},
    base::Phrase{"FftPlan::precision is F64", "graft_fft_plan::is_double is 1"},
    base::Phrase{"FftPlan::precision", "graft_fft_plan::is_double"},
    base::Phrase{"FftPlan::kind", "graft_fft_plan::is_real"},
    base::Phrase{"Set FftPlan::directions to both", "Set graft_fft_plan::directions to 0, which is both"},
    base::Phrase{"Leave FftPlan::directions unset", "Set graft_fft_plan::directions to 0"},
    base::Phrase{"Leave FftPlan::storage_in unset", "Set graft_fft_plan::storage_in to 0"},
    base::Phrase{"Leave FftPlan::storage_out unset", "Set graft_fft_plan::storage_out to 0"},
    base::Phrase{"an FftPlan::", "a graft_fft_plan::"},
    base::Phrase{"FftPlan::", "graft_fft_plan::"},
    // Calls.
    base::Phrase{"Call execute with Direction::Forward, the default", "Call it with GRAFT_FORWARD"},
    base::Phrase{"has an FftLayout", "has a stride or a distance"},
    base::Phrase{"Leave FftLaunch::in and out of views unset",
                 "Leave the strides and distances of views in graft_fft_launch 0"},
    base::Phrase{"Give the number of FFTs in FftLaunch::batch",
                 "Give the number of FFTs as graft_fft_launch::batch, with has_batch"},
    base::Phrase{"leave FftLaunch::batch unset", "leave graft_fft_launch::has_batch 0"},
    base::Phrase{"leave FftLaunch::axes unset", "leave graft_fft_launch::axis_count 0"},
    base::Phrase{"Leave FftLaunch::state empty", "Leave graft_fft_launch::state null"},
    base::Phrase{" (graft::padded_reals)", ""},
    base::Phrase{"FftLaunch::", "graft_fft_launch::"},
    base::Phrase{"in FftLaunch", "in graft_fft_launch"},
};

}  // namespace graft::families::fft
