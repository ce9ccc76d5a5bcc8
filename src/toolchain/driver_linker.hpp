// The linker in the CUDA driver (cuLinkCreate), which links PTX, cubins and objects to a cubin. graft uses the driver's
// linker when there is no nvJitLink. The driver's linker needs a device and accepts no LTO-IR.
#pragma once

#include "graft/architecture.hpp"
#include "toolchain/driver.hpp"
#include "toolchain/nvjitlink.hpp"

namespace graft::toolchain {

struct DriverLinkRequest {
  std::vector<LinkInput> inputs;  // of any kind except LtoIr
  Architecture architecture;
  bool line_info = false;
  int max_registers = 0;  // the limit of registers per thread for every function; 0 means no limit
};

// Thread-safe. Links in the thread's current CUDA context. If no context is current, retains device 0's primary context
// for the link and releases it afterwards. The logs in the result have the same format as nvJitLink's logs.
LinkResult link_with_driver(const Driver& driver, const DriverLinkRequest& request);

}  // namespace graft::toolchain
