// KernelCheck is the type of a function that checks the description of a kernel in a file. The function returns the
// reason why graft cannot have made the described kernel, or an empty string if graft can have made it. The readers in
// this folder do not know the families of kernels, so the reader's caller passes the function
// (families/kept_kernels.hpp).
#pragma once

#include <string>

#include "graft/report.hpp"

namespace graft::format {

using KernelCheck = std::string(const Report& report);

}  // namespace graft::format
