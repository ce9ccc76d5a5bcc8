// nvcc's floating-point flags (-fmad=false, -ftz=true, -prec-div=false, -prec-sqrt=false) have no effect on LTO-IR: the
// linker decides, with the flags that it is given. A fatbin records the flags with which its LTO-IR was compiled, so
// graft can say that the link forgets them. LTO-IR outside of fatbins records nothing.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "graft/architecture.hpp"
#include "graft/options.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::link {

// Returns a note for the report on each input that has LTO-IR for the architecture and was compiled with other flags
// than the kernel is linked with.
std::vector<std::string> lost_flags(std::span<const toolchain::LinkInput> inputs, Architecture architecture,
                                    const FloatingPoint& linked_with);

}  // namespace graft::link
