// A test double of the CUDA driver 535 (CUDA 12.2), which has no function cuFuncLoad. It has one device of compute
// capability 9.0, loads everything, and runs nothing. A program that is linked with the CMake target graft_fake_driver
// gets it in place of this machine's driver. GRAFT_FAKE_DRIVER_VERSION is the CUDA version that it reports, as
// cuDriverGetVersion does (12020 unless set).
#pragma once

#include <string>
#include <vector>

namespace graft::test {

// Returns the names of the calls that prepare or launch kernels, in the order of the calls.
std::vector<std::string>& fake_driver_calls();

}  // namespace graft::test
