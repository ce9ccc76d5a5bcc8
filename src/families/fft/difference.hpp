// Says how a callback that an FFT refuses differs from what its kernels call: the types of both.
#pragma once

#include <string>

#include "families/family.hpp"
#include "families/fft/request.hpp"

namespace graft::families::fft {

// Returns what the callback has and what the FFT needs in its place: "it returns float, and the forward FFT needs one
// that returns float2".
std::string difference_of(const KernelRequest& request, const RefusedCallback& callback);

}  // namespace graft::families::fft
