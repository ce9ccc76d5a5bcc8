// What the C interface has in place of the members of graft::Fft, FftPlan and FftLaunch, which messages about FFTs
// name.
#pragma once

#include <array>

#include "base/phrases.hpp"

namespace graft::families::fft {

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
