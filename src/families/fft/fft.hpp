// The family of FFTs. A kernel spec of this family is one kernel of an FFT's plan; its request (request.hpp) says of
// which plan, and which kernel. graft::Fft launches the kernels of a plan one after the other.
#pragma once

#include "families/family.hpp"

namespace graft::families::fft {

const Family& family();

}  // namespace graft::families::fft
