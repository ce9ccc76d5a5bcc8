#include "cli/arrays/driver_check.hpp"

#include "base/format.hpp"
#include "core/fail.hpp"
#include "graft/error.hpp"
#include "launch/device.hpp"

namespace graft::cli {

void check_driver(CUresult result, std::string_view what) {
  if (result == CUDA_SUCCESS) return;
  const toolchain::Driver& driver = launch::driver();
  fail(ErrorCode::DriverFailed, base::format("{}: {}", what, driver.describe(result)),
       result == CUDA_ERROR_OUT_OF_MEMORY
           ? "Take smaller arrays, free memory of the device, or choose another device with --device."
           : "Run graft doctor to check the device.",
       {}, {{"CUDA driver", driver.version().text()}});
}

}  // namespace graft::cli
