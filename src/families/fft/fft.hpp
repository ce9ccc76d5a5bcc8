// The family of FFTs. A kernel spec of this family is one kernel of an FFT's plan, which kernel_request.hpp describes
// by numbers; graft::Fft launches the kernels of a plan one after the other.
#pragma once

#include "families/family.hpp"

namespace graft::families::fft {

const Family& family();

}  // namespace graft::families::fft
