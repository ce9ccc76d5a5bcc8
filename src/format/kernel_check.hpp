// Why a kernel that a file describes cannot be one that graft made; empty when it can. Files are read without knowing
// the families of kernels: whoever has one read says who checks (families/kept_kernels.hpp).
#pragma once

#include <string>

#include "graft/report.hpp"

namespace graft::format {

using KernelCheck = std::string(const Report& report);

}  // namespace graft::format
