// The type of the function that judges a kernel description found in a file: it returns why graft cannot have made such
// a kernel, or an empty string when it can. This folder does not know the families of kernels, so the callers of
// its readers pass the function in (families/kept_kernels.hpp).
#pragma once

#include <string>

#include "graft/report.hpp"

namespace graft::format {

using KernelCheck = std::string(const Report& report);

}  // namespace graft::format
