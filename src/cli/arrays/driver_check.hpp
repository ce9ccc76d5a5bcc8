// The error of the program's own calls of the driver: those that copy arrays and that measure.
#pragma once

#include <cuda.h>

#include <string_view>

namespace graft::cli {

// Throws Error(DriverFailed) if a call of the driver failed. `what` begins the message: "an array cannot be copied".
void check_driver(CUresult result, std::string_view what);

}  // namespace graft::cli
